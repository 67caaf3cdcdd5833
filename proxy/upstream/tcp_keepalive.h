// TCP keepalive, to notice hosts that disappeared.
#ifndef CARME_PROXY_UPSTREAM_TCP_KEEPALIVE_H_
#define CARME_PROXY_UPSTREAM_TCP_KEEPALIVE_H_

#include "absl/time/time.h"

namespace carme::proxy {

// Makes an idle connection end with ETIMEDOUT when the peer's host has not
// responded for about `timeout`. Connections that a listening socket accepts
// inherit the setting. TCP_USER_TIMEOUT is not used because it would also end
// connections of slow readers. Errors are ignored; infinite: not set.
void SetTcpKeepalive(int fd, absl::Duration timeout);

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_TCP_KEEPALIVE_H_
