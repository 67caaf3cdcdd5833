#include "proxy/sockets.h"

#include <string>
#include <utility>
#include <vector>

#include "common/listen.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::proxy {

absl::StatusOr<Sockets> OpenSockets(const ProxyConfig& config) {
  std::vector<UniqueFd> handed_over = TakeListenFds();
  size_t next = 0;
  auto open = [&](const std::string& address) -> absl::StatusOr<UniqueFd> {
    if (next < handed_over.size()) return std::move(handed_over[next++]);
    return ListenTcp(address);
  };
  Sockets sockets;
  ASSIGN_OR_RETURN(sockets.https, open(config.listen));
  if (!config.redirect_listen.empty()) {
    ASSIGN_OR_RETURN(sockets.redirect, open(config.redirect_listen));
  }
  if (!config.metrics_listen.empty()) {
    absl::StatusOr<UniqueFd> metrics = open(config.metrics_listen);
    if (metrics.ok()) {
      sockets.metrics = *std::move(metrics);
    } else {
      LogError("no metrics", {{"why", metrics.status().ToString()}});
    }
  }
  return sockets;
}

}  // namespace carme::proxy
