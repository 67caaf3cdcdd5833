// What healthy nodes of a type reached in earlier runs: CPU and memory
// bandwidth. A YAML file that `--learn FILE` writes.
#ifndef CARME_SLURM_HOOKS_VET_CONFIG_BASELINE_H_
#define CARME_SLURM_HOOKS_VET_CONFIG_BASELINE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme::vet {

struct NodeTypeBaseline {
  int nodes = 0;                          // measured so far
  std::map<std::string, double> metrics;  // medians
};

// By node type: the CPU's model, the number of CPUs and the memory.
using Baseline = std::map<std::string, NodeTypeBaseline>;

// INVALID_ARGUMENT with file and line.
absl::StatusOr<Baseline> ParseBaseline(std::string_view text,
                                       const std::string& path);
// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT.
absl::StatusOr<Baseline> LoadBaseline(const std::string& path);

std::string FormatBaseline(const Baseline& baseline);

// A node's type and what it reached.
struct NodeMeasurement {
  std::string node_type;
  std::map<std::string, double> metrics;
};
// Adds a run: the new median is that of this run, weighted with the old one by
// the numbers of nodes, of which the old one counts at most 1000.
void Learn(const std::vector<NodeMeasurement>& run, Baseline* baseline);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CONFIG_BASELINE_H_
