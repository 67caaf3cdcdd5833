// One program that a hook runs as root, and its end.
#ifndef CARME_SLURM_HOOKS_HOOKS_PROGRAM_RUN_H_
#define CARME_SLURM_HOOKS_HOOKS_PROGRAM_RUN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Runs `arguments`, an absolute path first and no shell, with `environment`
// ("NAME=value") and nothing else, and waits for it. What it writes goes to its
// caller's stderr, of which slurmd keeps nothing. OK: it ended with 0.
// INTERNAL: another end, in words. DEADLINE_EXCEEDED: it ran until `deadline`
// and was killed with its process group. It is killed when the caller dies.
// REQUIRES: SIGCHLD is blocked, one thread.
absl::Status RunProgram(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment,
                        absl::Time deadline);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_PROGRAM_RUN_H_
