// Reports a run to the backend, for the history of its nodes: `--report`.
#ifndef CARME_SLURM_HOOKS_VET_CLI_RUN_REPORT_H_
#define CARME_SLURM_HOOKS_VET_CLI_RUN_REPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "carme/v1/agent.pb.h"
#include "slurm-hooks/vet/cli/options.h"
#include "slurm-hooks/vet/cli/slurm_job.h"
#include "slurm-hooks/vet/coordination/coordinator.h"

namespace carme::vet {

// What is reported. Root reports its own node alone, named by SLURMD_NODENAME
// or `host`, which counts as the site's run; a user all nodes, and needs a job:
// FAILED_PRECONDITION. Without a credential.
absl::StatusOr<v1::ReportVetRunRequest> MakeRunReport(const VetRun& run,
                                                      const Options& options,
                                                      bool is_root,
                                                      const std::string& host,
                                                      const ReadVariable& read);

// Makes and sends the report of this host and user. A run
// without a failure by a user or in a Prolog is not sent: it changes nothing.
// The errors of the others.
absl::Status ReportRun(const VetRun& run, const Options& options,
                       const ReadVariable& read);

// Hands it to carme-hook-report, which lies beside this program, and waits for
// it. As root, it keeps the report until the backend has it; otherwise it sends
// it once. UNAVAILABLE: with what it printed, if anything, on stderr.
absl::Status SendRunReport(const v1::ReportVetRunRequest& report,
                           const Options& options);

// Whether the backend asks for a run of the site on this node, as root; `node`
// is its name. carme-hook-report asks. UNAVAILABLE.
absl::StatusOr<bool> IsRunRequested(const std::string& node,
                                    const Options& options);

// SLURMD_NODENAME, or the host's name without its domain.
std::string OwnNodeName(const std::string& host, const ReadVariable& read);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CLI_RUN_REPORT_H_
