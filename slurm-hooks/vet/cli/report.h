// Prints the result of a run, and keeps what it measured.
#ifndef CARME_SLURM_HOOKS_VET_CLI_REPORT_H_
#define CARME_SLURM_HOOKS_VET_CLI_REPORT_H_

#include <string>

#include "absl/status/status.h"
#include "slurm-hooks/vet/cli/options.h"
#include "slurm-hooks/vet/coordination/coordinator.h"

namespace carme::vet {

// A line for each node, "Vetted: HOST" or "Cordon: HOST", as vetnode's
// documentation describes them, after what failed and was skipped; with
// `verbose` all results.
std::string TextReport(const VetRun& run, bool verbose);
// A table: a line for each node, a column for each evaluation.
std::string GridReport(const VetRun& run);
// A JSON object a line: results, links, verdicts.
std::string JsonReport(const VetRun& run);
// The one or two of them that the options ask for.
std::string Report(const VetRun& run, const Options& options);

// Adds the measurements of the healthy nodes to the baseline file; empty path:
// does nothing. INVALID_ARGUMENT: the file; FAILED_PRECONDITION: not written.
absl::Status LearnFrom(const VetRun& run, const std::string& path);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CLI_REPORT_H_
