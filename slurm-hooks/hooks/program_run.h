// Runs one program as root and waits for it.
#ifndef CARME_SLURM_HOOKS_HOOKS_PROGRAM_RUN_H_
#define CARME_SLURM_HOOKS_HOOKS_PROGRAM_RUN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Runs `arguments`, an absolute path first, without a shell and with only
// `environment` ("NAME=value"), and waits for it. Its output goes to stderr of
// the caller, which slurmd discards. OK: it exited with 0. INTERNAL: another
// end, with a description. DEADLINE_EXCEEDED: it was killed with its process
// group at `deadline`. It is also killed when the caller dies. SIGCHLD must be
// blocked, and the caller must have one thread.
absl::Status RunProgram(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment,
                        absl::Time deadline);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_PROGRAM_RUN_H_
