// The job and step of this process, from Slurm's variables.
#ifndef CARME_SLURM_HOOKS_VET_CLI_SLURM_JOB_H_
#define CARME_SLURM_HOOKS_VET_CLI_SLURM_JOB_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::vet {

inline constexpr size_t kMaxNodes = 100000;

// Returns a variable; nullopt: it is not set.
using ReadVariable =
    std::function<std::optional<std::string>(const std::string& name)>;

// "n[1-3,07],login" as n1, n2, n3, n07, login. INVALID_ARGUMENT.
absl::StatusOr<std::vector<std::string>> ExpandNodeList(std::string_view list);

// "2(x3),1" as 2, 2, 2, 1. INVALID_ARGUMENT.
absl::StatusOr<std::vector<int>> ExpandCounts(std::string_view counts);

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

// The variables of a job that has these nodes only, for programs that read them
// instead of asking Slurm. Empty value: remove it. `positions`: of the nodes in
// the job's list.
std::map<std::string, std::string> VariablesOfPart(
    const ReadVariable& read, const std::vector<std::string>& nodes,
    const std::vector<size_t>& positions);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_CLI_SLURM_JOB_H_
