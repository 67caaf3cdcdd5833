// The sockets on which the proxy listens.
#ifndef CARME_PROXY_SOCKETS_H_
#define CARME_PROXY_SOCKETS_H_

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "proxy/proxy_config.h"

namespace carme::proxy {

struct Sockets {
  UniqueFd https;
  UniqueFd redirect;  // not valid: there is none, as for the next
  UniqueFd metrics;
};

// Those that were handed over (LISTEN_FDS), in the order above and without what
// is not configured; the others are opened here. Call it once, before the first
// thread. The error of one for browsers; one for metrics that cannot be opened
// is logged, because nobody should miss their work for it.
absl::StatusOr<Sockets> OpenSockets(const ProxyConfig& config);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SOCKETS_H_
