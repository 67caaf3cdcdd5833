// The unix socket that an app of a job listens on.
#ifndef CARME_SLURM_HOOKS_WEB_APP_APP_SOCKET_H_
#define CARME_SLURM_HOOKS_WEB_APP_APP_SOCKET_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme::web_app {

// Listens at `path` (mode 0600, close-on-exec) and replaces an old socket.
// INVALID_ARGUMENT: the path is too long; the errors of bind(2).
absl::StatusOr<UniqueFd> ListenAppSocket(const std::string& path, int backlog);

}  // namespace carme::web_app

#endif  // CARME_SLURM_HOOKS_WEB_APP_APP_SOCKET_H_
