// The context of the command that a user runs.
#ifndef CARME_SLURM_HOOKS_CLI_PROCESS_CONTEXT_H_
#define CARME_SLURM_HOOKS_CLI_PROCESS_CONTEXT_H_

#include "absl/status/statusor.h"
#include "common/edf/search.h"

namespace carme {

// This process's variables and directory, and the real files. Not for a
// program that acts for others. Errors of getcwd(3).
absl::StatusOr<EdfContext> EdfContextOfProcess();

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_PROCESS_CONTEXT_H_
