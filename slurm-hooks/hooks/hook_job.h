// The job that a Prolog or Epilog runs for, as slurmd's environment variables
// describe it (slurm.conf(5), section Prolog and Epilog).
#ifndef CARME_SLURM_HOOKS_HOOKS_HOOK_JOB_H_
#define CARME_SLURM_HOOKS_HOOKS_HOOK_JOB_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::hooks {

// Whether `constraints` (sbatch's --constraint: `a&b`, `a|b`, `[a*2&b*1]`,
// `(a|b)&c`) names `feature` as a whole word, wherever in the expression. An
// empty feature is never named.
bool NamesFeature(std::string_view constraints, std::string_view feature);

struct HookJob {
  SlurmJobId id;
  Uid uid;
};

// False: slurmd names no constraint at all, so the job is not one of Carme's
// and not even the configuration need be read.
bool HasConstraints();

// Nothing when the job is not one of Carme's, which is what most jobs are.
// INVALID_ARGUMENT: it is, but its id or uid is missing or not a number;
// PERMISSION_DENIED: it is root's.
absl::StatusOr<std::optional<HookJob>> ReadHookJob(std::string_view feature);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_HOOK_JOB_H_
