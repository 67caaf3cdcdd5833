// The app: its unix socket, its connections, its end.
//
// Thread rule: everything on the thread that calls Run().
#ifndef CARME_SLURM_HOOKS_SHELL_SERVER_H_
#define CARME_SLURM_HOOKS_SHELL_SERVER_H_

#include <string>

#include "absl/status/status.h"

namespace carme::shell {

// Listens at `path` (0600; an old socket there is replaced) until SIGTERM or
// SIGINT, then hangs up every shell and waits for them, at most two seconds.
// Returns OK after that, or why it could not listen.
absl::Status RunServer(const std::string& path);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_SERVER_H_
