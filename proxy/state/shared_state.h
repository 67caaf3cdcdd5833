// State that all event loops share: limits, tickets, usage of the jobs.
#ifndef CARME_PROXY_STATE_SHARED_STATE_H_
#define CARME_PROXY_STATE_SHARED_STATE_H_

#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/net/address.h"
#include "common/net/networks.h"
#include "proxy/access/ticket_redeemer.h"
#include "proxy/access/ticket_verifier.h"
#include "proxy/config/proxy_config.h"
#include "proxy/http/virtual_hosts.h"
#include "proxy/limits/connection_limiter.h"
#include "proxy/limits/keyed_rate_limiter.h"
#include "proxy/limits/overload_manager.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/telemetry/activity_aggregator.h"
#include "proxy/upstream/reverse_tunnels.h"

namespace carme::proxy {

// Thread-safe. Outlives the loops.
struct SharedState {
  SharedState(const ProxyConfig& config, VirtualHosts virtual_hosts,
              net::Address frontend_address, net::Networks balancers,
              std::unique_ptr<UsedTicketStore> used_tickets,
              const Clock& wall_clock);

  const ProxyLimits limits;
  const LoadBalancers load_balancers;
  const net::Networks balancer_networks;
  const std::vector<std::string> login_paths;
  // The value of Strict-Transport-Security; empty: the field is not sent.
  const std::string hsts;
  const bool app_overlay;
  const VirtualHosts hosts;
  const net::Address frontend;
  const Clock& clock;
  TicketVerifier tickets;
  // Set before the loops start. Null: tickets are redeemed here only.
  TicketRedeemer* redeemer = nullptr;
  ConnectionLimiter connections;  // by client address
  ConnectionLimiter sessions;     // by session, on the jobs' hosts
  ReverseTunnelLimits tunnels;
  PortalLimiter portal;
  ActivityAggregator activity;
  KeyedRateLimiter logins;
  OverloadManager overload;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_STATE_SHARED_STATE_H_
