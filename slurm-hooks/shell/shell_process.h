// The user's shell at the far end of a pseudo terminal.
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
  UniqueFd master;  // does not block; closed on exec
};

// $SHELL where it can be run here, else /bin/bash, else /bin/sh: an image need
// not have the shell that the user has outside.
std::string ChooseShell();

// Starts the shell as a login shell in $HOME, with this process's environment
// and TERM=xterm-256color. That it cannot be run shows as exit code 127.
// REQUIRES: the process has one thread.
absl::StatusOr<ShellProcess> StartShell();

// Best effort: the shell may have ended.
void SetWindowSize(int master, WindowSize size);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_SHELL_PROCESS_H_
