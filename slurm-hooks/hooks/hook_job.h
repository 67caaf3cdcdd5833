// The job that a Prolog or Epilog runs for, as slurmd's environment variables
// describe it (slurm.conf(5), section Prolog and Epilog).
#ifndef CARME_SLURM_HOOKS_HOOKS_HOOK_JOB_H_
#define CARME_SLURM_HOOKS_HOOKS_HOOK_JOB_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::hooks {

// Returns whether `constraints` (sbatch's --constraint: `a&b`, `a|b`,
// `[a*2&b*1]`, `(a|b)&c`) contains `feature` as a whole word. An empty feature
// never matches.
bool NamesFeature(std::string_view constraints, std::string_view feature);

struct HookJob {
  SlurmJobId id;
  Uid uid;
};

// Returns false if the job has no constraint at all: then it is not a Carme
// job, and the configuration is not read.
bool HasConstraints();

// Returns nullopt if the job is not a Carme job, as most jobs are.
// INVALID_ARGUMENT: its id or uid is missing or not a number;
// PERMISSION_DENIED: it is a job of root.
absl::StatusOr<std::optional<HookJob>> ReadHookJob(std::string_view feature);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_HOOK_JOB_H_
