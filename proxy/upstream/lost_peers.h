// Connections whose other side has vanished without a word.
#ifndef CARME_PROXY_UPSTREAM_LOST_PEERS_H_
#define CARME_PROXY_UPSTREAM_LOST_PEERS_H_

#include "absl/time/time.h"

namespace carme::proxy {

// A connection of `fd` at rest ends with ETIMEDOUT when the other side's host
// has answered nothing for about `timeout`; those that a listening socket
// accepts have it from there. Not TCP_USER_TIMEOUT, which would also end one
// whose reader only takes its time, and answers the kernel's probes. Where it
// cannot be set, connections last longer; infinite: it is not set.
void SetTcpKeepalive(int fd, absl::Duration timeout);

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_LOST_PEERS_H_
