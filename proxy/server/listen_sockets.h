// The sockets on which the proxy listens.
#ifndef CARME_PROXY_SERVER_LISTEN_SOCKETS_H_
#define CARME_PROXY_SERVER_LISTEN_SOCKETS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "proxy/config/proxy_config.h"

namespace carme::proxy {

struct Sockets {
  UniqueFd https;
  UniqueFd redirect;  // not valid: there is none, as for the next
  UniqueFd metrics;
  UniqueFd agents;

  // Those that there are, for a process that takes over: it finds them by these
  // names, whatever its configuration has added or left out.
  std::vector<std::pair<std::string, int>> Named() const;
};

// Those that were handed over (LISTEN_FDS): by the names above, else in that
// order and without what is not configured. The others are opened here. Call it
// once, before the first thread. The error of one for browsers; one for metrics
// that cannot be opened is logged, because nobody should miss their work for
// it.
absl::StatusOr<Sockets> OpenSockets(const ProxyConfig& config);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_LISTEN_SOCKETS_H_
