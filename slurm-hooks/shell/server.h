// The server of the app: its unix socket, connections and shutdown.
//
// Thread safety: everything runs on the thread that calls Run().
#ifndef CARME_SLURM_HOOKS_SHELL_SERVER_H_
#define CARME_SLURM_HOOKS_SHELL_SERVER_H_

#include <string>

#include "absl/status/status.h"

namespace carme::shell {

// Listens at `path` (mode 0600, replaces an old socket) until SIGTERM or
// SIGINT, then sends SIGHUP to all shells and waits for them for at most two
// seconds. Fails if it cannot listen.
absl::Status RunServer(const std::string& path);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_SERVER_H_
