// The impersonator's unix socket.
#ifndef CARME_BACKEND_PRIVILEGED_LISTENING_SOCKET_H_
#define CARME_BACKEND_PRIVILEGED_LISTENING_SOCKET_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme::impersonator {

// Binds `path` with mode 0660, owner root, group `gid`; makes the directory
// (0755) where it is missing. Takes the place of a socket whose program has
// died. ALREADY_EXISTS: somebody listens there. Non-blocking, close-on-exec.
absl::StatusOr<UniqueFd> ListenUnix(const std::string& path, gid_t gid);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_LISTENING_SOCKET_H_
