// The program's unix sockets.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_LISTENING_SOCKET_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_LISTENING_SOCKET_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme {

// Listens on `path` with mode 0660, owner root, group `gid`; creates a missing
// directory (0755) and replaces the socket of a dead process. The descriptor is
// non-blocking and close-on-exec.
// ALREADY_EXISTS: another process listens there, or `path` is not a socket.
absl::StatusOr<UniqueFd> ListenUnix(const std::string& path, gid_t gid);

// The socket that the program inherited (LISTEN_FDS), otherwise ListenUnix().
// INVALID_ARGUMENT: it inherited more than one.
absl::StatusOr<UniqueFd> InheritOrListen(const std::string& path, gid_t gid);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_LISTENING_SOCKET_H_
