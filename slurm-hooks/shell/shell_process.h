// The user's shell in a pseudo terminal.
#ifndef CARME_SLURM_HOOKS_SHELL_SHELL_PROCESS_H_
#define CARME_SLURM_HOOKS_SHELL_SHELL_PROCESS_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/shell/control_message.h"

namespace carme::shell {

struct ShellProcess {
  pid_t pid = 0;    // leads a session of its own
  UniqueFd master;  // non-blocking, close-on-exec
};

// Returns $SHELL if it can be executed here, else /bin/bash, else /bin/sh: an
// image may lack the user's shell.
std::string ChooseShell();

// Starts a login shell in $HOME with this process's environment and
// TERM=xterm-256color. If it cannot be executed, it ends with exit code 127.
// The process must have one thread.
absl::StatusOr<ShellProcess> StartShell();

// Best effort: the shell may have ended.
void SetWindowSize(int master, WindowSize size);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_SHELL_PROCESS_H_
