// Connections to the frontend, which serves one request on each, and pooled
// connections to agents.
#ifndef CARME_PROXY_UPSTREAM_UPSTREAM_POOL_H_
#define CARME_PROXY_UPSTREAM_UPSTREAM_POOL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "common/net/tls/tls_stream.h"
#include "proxy/access/access_grant.h"
#include "proxy/control/route_table.h"
#include "proxy/upstream/keyed_semaphore.h"

namespace carme::proxy {

class ReverseTunnels;

struct Upstream {
  std::unique_ptr<net::Stream> stream;
  AccessGrantPtr access;  // null: frontend
  net::Address address;
  std::string held;     // read but not used
  bool reused = false;  // the peer may have closed it meanwhile
  int64_t idle_since_ms = 0;
  // session stored for the next handshake with this agent
  bool session_kept = false;
  // Points to `stream` for agents that the proxy connects to. Null for others:
  // a reverse tunnel is verified by itself.
  net::TlsStream* tls = nullptr;
};
using UpstreamPtr = std::unique_ptr<Upstream>;

// Whether `agents` trusts the peer; true for the frontend.
bool IsTrusted(const Upstream& upstream, const net::TlsContext& agents);

// One per loop. Not thread-safe: used on the loop's thread. A connection to an
// agent was opened with one grant and is used for this grant only.
class UpstreamPool : private net::Timer {
 public:
  // Keeps up to `max_idle` idle connections; the oldest are dropped.
  UpstreamPool(net::EventLoop& loop, absl::Duration connect_timeout,
               absl::Duration agent_idle_timeout, size_t max_idle = 4096);
  ~UpstreamPool() override;
  // `tunnels` must outlive this. Without it, agents with reverse tunnels are
  // unavailable.
  void SetReverseTunnels(ReverseTunnels* tunnels) {
    reverse_tunnels_ = tunnels;
  }
  // For connections to agents; without it, the kernel's default.
  void SetTcpKeepaliveTimeout(absl::Duration timeout) {
    tcp_keepalive_timeout_ = timeout;
  }

  // An idle and quiet connection to an agent, or null.
  UpstreamPtr Take(const AccessGrantPtr& access, const net::Address& address);
  // To an agent. The last response on it must have been read completely.
  void Put(UpstreamPtr upstream);

  // Opens a connection. UNAVAILABLE, DEADLINE_EXCEEDED: the peer does not
  // respond. UNAUTHENTICATED: it has another identity.
  net::Task<absl::StatusOr<UpstreamPtr>> OpenFrontend(net::Address address);
  // Opens a TLS connection to the job's agent, or a stream of its reverse
  // tunnel, and sends the grant. Call SetAgentContext() before.
  //
  // An agent accepts few connections that it has not authenticated, but a
  // browser may send a hundred requests at once. Further calls therefore wait
  // and return a connection that became idle meanwhile, unless `fresh` is set.
  // CANCELLED: `cancelled` became true while waiting. It must outlive the call.
  net::Task<absl::StatusOr<UpstreamPtr>> OpenAgent(AccessGrantPtr access,
                                                   net::Address address,
                                                   bool fresh,
                                                   const bool& cancelled);

  // Uses `agents` for new connections to agents and drops TLS sessions of older
  // contexts. `issuer_changed`: closes idle connections whose agent is not
  // trusted any more.
  void SetAgentContext(std::shared_ptr<const net::TlsContext> agents,
                       bool issuer_changed);

  // Closes connections that `routes` no longer allows.
  void Recheck(const RouteTable& routes, absl::Time now);
  void Clear();

 private:
  void OnDeadline() override;
  void DropOldest();
  template <typename Predicate>
  void DropIf(Predicate predicate);
  net::Task<absl::StatusOr<UpstreamPtr>> Establish(AccessGrantPtr access,
                                                   net::Address address,
                                                   const bool& cancelled);
  net::Task<absl::StatusOr<UpstreamPtr>> Connect(AccessGrantPtr access,
                                                 net::Address address);

  net::EventLoop& loop_;
  const absl::Duration connect_timeout_;
  const int64_t agent_idle_ms_;
  const size_t max_idle_;
  // By grant. The newest is at the back.
  absl::flat_hash_map<std::string, std::vector<UpstreamPtr>> idle_;
  size_t count_ = 0;
  std::shared_ptr<const net::TlsContext> agents_;
  ReverseTunnels* reverse_tunnels_ = nullptr;
  absl::Duration tcp_keepalive_timeout_ = absl::InfiniteDuration();
  // By job, to resume TLS sessions; all of them made with agents_.
  absl::flat_hash_map<std::string, net::TlsSession> sessions_;
  KeyedSemaphore open_semaphore_;  // limits concurrent opens, by grant
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_UPSTREAM_POOL_H_
