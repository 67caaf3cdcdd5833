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
  UniqueFd redirect;  // invalid: not configured; also the next ones
  UniqueFd metrics;
  UniqueFd agents;

  // The valid ones by name, for the new process of a hot restart, which may
  // have another configuration.
  std::vector<std::pair<std::string, int>> Named() const;
};

// Uses passed sockets (LISTEN_FDS): by the names above, else in this order,
// skipping what is not configured. Opens the others. Call it once before the
// first thread. Returns an error for the socket of browsers or agents; an error
// for metrics is only logged.
absl::StatusOr<Sockets> OpenSockets(const ProxyConfig& config);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_LISTEN_SOCKETS_H_
