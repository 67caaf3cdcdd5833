// Listening sockets: opened here, or handed over by whoever started us.
#ifndef CARME_COMMON_LISTEN_H_
#define CARME_COMMON_LISTEN_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme {

// The descriptors that sd_listen_fds(3) would give: LISTEN_FDS of them from 3
// on, when LISTEN_PID is this process. Close-on-exec is set and the variables
// are removed from the environment. Call once, before the first thread.
std::vector<UniqueFd> TakeListenFds();

struct NamedFd {
  std::string name;  // of LISTEN_FDNAMES; empty without one
  UniqueFd fd;
};
// The same with their names, as sd_listen_fds_with_names(3).
std::vector<NamedFd> TakeNamedListenFds();

// "host:port" or "[v6]:port", a literal address; port 0 lets the kernel choose.
// Non-blocking, close-on-exec, SO_REUSEADDR. INVALID_ARGUMENT, or bind's error.
absl::StatusOr<UniqueFd> ListenTcp(std::string_view address, int backlog = 512);

// The port a listening socket has got.
absl::StatusOr<int> PortOf(int fd);

}  // namespace carme

#endif  // CARME_COMMON_LISTEN_H_
