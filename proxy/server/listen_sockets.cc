#include "proxy/server/listen_sockets.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/listen.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

constexpr const char* kHttps = "https";
constexpr const char* kRedirect = "redirect";
constexpr const char* kMetrics = "metrics";
constexpr const char* kAgents = "agents";

// Sockets passed by the parent that are not used yet.
class InheritedSockets {
 public:
  InheritedSockets() : sockets_(TakeNamedListenFds()) {}

  absl::StatusOr<UniqueFd> TakeOrListen(const std::string& name,
                                        const std::string& address) {
    auto found = Find([&](const NamedFd& one) { return one.name == name; });
    if (found == sockets_.end()) {
      // A service manager may use other names. A socket with one of Carme's
      // names is never used for another purpose.
      found = Find([](const NamedFd& one) {
        return one.name != kHttps && one.name != kRedirect &&
               one.name != kMetrics && one.name != kAgents;
      });
    }
    if (found == sockets_.end()) return ListenTcp(address);
    UniqueFd fd = std::move(found->fd);
    sockets_.erase(found);
    return fd;
  }

 private:
  template <typename Predicate>
  std::vector<NamedFd>::iterator Find(Predicate predicate) {
    return std::find_if(sockets_.begin(), sockets_.end(), predicate);
  }
  std::vector<NamedFd> sockets_;
};

}  // namespace

std::vector<std::pair<std::string, int>> Sockets::Named() const {
  std::vector<std::pair<std::string, int>> named = {{kHttps, https.get()}};
  if (redirect.valid()) named.emplace_back(kRedirect, redirect.get());
  if (metrics.valid()) named.emplace_back(kMetrics, metrics.get());
  if (agents.valid()) named.emplace_back(kAgents, agents.get());
  return named;
}

absl::StatusOr<Sockets> OpenSockets(const ProxyConfig& config) {
  InheritedSockets inherited;
  Sockets sockets;
  ASSIGN_OR_RETURN(sockets.https,
                   inherited.TakeOrListen(kHttps, config.listen));
  if (!config.redirect_listen.empty()) {
    ASSIGN_OR_RETURN(sockets.redirect,
                     inherited.TakeOrListen(kRedirect, config.redirect_listen));
  }
  if (!config.metrics_listen.empty()) {
    absl::StatusOr<UniqueFd> metrics =
        inherited.TakeOrListen(kMetrics, config.metrics_listen);
    if (metrics.ok()) {
      sockets.metrics = *std::move(metrics);
    } else {
      LogError("metrics disabled", {{"error", metrics.status().ToString()}});
    }
  }
  if (!config.agents_listen.empty()) {
    ASSIGN_OR_RETURN(sockets.agents,
                     inherited.TakeOrListen(kAgents, config.agents_listen));
  }
  return sockets;
}

}  // namespace carme::proxy
