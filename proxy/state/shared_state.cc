#include "proxy/state/shared_state.h"

#include <utility>

namespace carme::proxy {
namespace {

std::string HstsValue(int max_age_s) {
  return max_age_s > 0 ? "max-age=" + std::to_string(max_age_s) : "";
}

}  // namespace

SharedState::SharedState(const ProxyConfig& config, VirtualHosts virtual_hosts,
                         net::Address frontend_address, net::Networks balancers,
                         std::unique_ptr<UsedTicketStore> used_tickets,
                         const Clock& wall_clock)
    : limits(config.limits),
      load_balancers(config.load_balancers),
      balancer_networks(std::move(balancers)),
      login_paths(config.login_paths),
      hsts(HstsValue(config.hsts_max_age_s)),
      app_overlay(config.app_overlay),
      hosts(std::move(virtual_hosts)),
      frontend(frontend_address),
      clock(wall_clock),
      tickets(std::move(used_tickets)),
      connections(limits.max_connections, limits.max_connections_per_address),
      sessions(ConnectionLimiter::kUnlimited,
               limits.max_connections_per_session),
      tunnels(limits),
      portal(limits),
      logins(limits.logins_per_s, limits.login_burst),
      overload(limits.max_memory_mib) {}

}  // namespace carme::proxy
