#include "frontend/http/socket_wait.h"

#include <poll.h>

#include <cerrno>

namespace carme::frontend {

bool WaitForEvents(int fd, short events, absl::Duration timeout) {
  pollfd polled{.fd = fd, .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&polled, 1, static_cast<int>(timeout / absl::Milliseconds(1)));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace carme::frontend
