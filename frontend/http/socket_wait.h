// Waits for a socket.
#ifndef CARME_FRONTEND_HTTP_SOCKET_WAIT_H_
#define CARME_FRONTEND_HTTP_SOCKET_WAIT_H_

#include "absl/time/time.h"

namespace carme::frontend {

// Blocks for up to `timeout` until one of `events` of poll(2), an error or the
// peer's end. Returns false after the time-out.
bool WaitForEvents(int fd, short events, absl::Duration timeout);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_SOCKET_WAIT_H_
