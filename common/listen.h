// Listening sockets: opened by this process, or inherited (socket activation).
#ifndef CARME_COMMON_LISTEN_H_
#define CARME_COMMON_LISTEN_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme {

// The inherited descriptors, as sd_listen_fds(3): LISTEN_FDS of them from 3 on,
// if LISTEN_PID is this process. Sets close-on-exec and removes the variables
// from the environment. Call it once, before the first thread.
std::vector<UniqueFd> TakeListenFds();

struct NamedFd {
  std::string name;  // from LISTEN_FDNAMES; empty: none
  UniqueFd fd;
};
// The same with names, as sd_listen_fds_with_names(3).
std::vector<NamedFd> TakeNamedListenFds();

// "host:port" or "[v6]:port", a literal address; port 0: any free port.
// Non-blocking, close-on-exec, SO_REUSEADDR. INVALID_ARGUMENT, or bind's error.
absl::StatusOr<UniqueFd> ListenTcp(std::string_view address, int backlog = 512);

// The port of a listening socket.
absl::StatusOr<int> PortOf(int fd);

}  // namespace carme

#endif  // CARME_COMMON_LISTEN_H_
