// The job and step of this process, from Slurm's variables.
#ifndef CARME_SLURM_HOOKS_VET_CLI_SLURM_JOB_H_
#define CARME_SLURM_HOOKS_VET_CLI_SLURM_JOB_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "slurm-hooks/nodes/node_list.h"

namespace carme::vet {

using node::ReadVariable;

// "n[1-3,07],login" as n1, n2, n3, n07, login. INVALID_ARGUMENT.
absl::StatusOr<std::vector<std::string>> ExpandNodeList(std::string_view list);

struct SlurmStep {
  std::string run;  // "JOB.STEP"
  std::vector<std::string> nodes;
  size_t rank = 0;             // of this node
  bool is_first_task = false;  // of this node
};

// nullopt: this process is in no step of srun. FAILED_PRECONDITION,
// INVALID_ARGUMENT.
absl::StatusOr<std::optional<SlurmStep>> ReadSlurmStep(
    const ReadVariable& read);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CLI_SLURM_JOB_H_
