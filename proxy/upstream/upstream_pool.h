// Connections to the frontend and to agents, used again while they are good.
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
  AccessGrantPtr access;  // null: the frontend
  net::Address address;
  std::string held;     // read, not used yet
  bool reused = false;  // the other side may have given up on it meanwhile
  int64_t idle_since_ms = 0;
  bool session_kept = false;  // for the next handshake with this agent
  // Of an agent that listens: `stream`. Null for others: what carries an agent
  // that dials has been verified and is watched by itself.
  net::TlsStream* tls = nullptr;
};
using UpstreamPtr = std::unique_ptr<Upstream>;

// Whether `agents` trusts the other side; the frontend is not asked.
bool IsTrusted(const Upstream& upstream, const net::TlsContext& agents);

// One a loop, on its thread. A connection to an agent was opened by one grant
// and serves that grant only.
class UpstreamPool : private net::Timer {
 public:
  // At rest there are up to `max_idle`; the oldest go.
  UpstreamPool(net::EventLoop& loop, absl::Duration connect_timeout,
               absl::Duration frontend_idle_timeout,
               absl::Duration agent_idle_timeout, size_t max_idle = 4096);
  ~UpstreamPool() override;
  // Where agents that dial are; outlives this. Without it they are not reached.
  void SetReverseTunnels(ReverseTunnels* tunnels) {
    reverse_tunnels_ = tunnels;
  }
  // For how long an agent's host may answer nothing; without it the kernel
  // waits for ever.
  void SetTcpKeepaliveTimeout(absl::Duration timeout) {
    tcp_keepalive_timeout_ = timeout;
  }

  // How many connections to the frontend are kept at rest: each holds a thread
  // there, and each loop has a pool.
  void SetMaxIdleFrontends(size_t max_idle) { max_idle_frontends_ = max_idle; }

  // One at rest and still quiet; null without one.
  UpstreamPtr Take(const AccessGrantPtr& access, const net::Address& address);
  // REQUIRES: the last answer on it is read to its end.
  void Put(UpstreamPtr upstream);

  // A new one. UNAVAILABLE, DEADLINE_EXCEEDED: the other side does not answer;
  // UNAUTHENTICATED: it is not who it should be.
  net::Task<absl::StatusOr<UpstreamPtr>> OpenFrontend(net::Address address);
  // TLS to the job's agent, or a stream of the connection on which it has
  // dialled; then the preamble with the grant. REQUIRES: Use.
  //
  // A browser may ask for a hundred things at once, and an agent lets in only
  // so many that it does not know yet: who comes too many waits, and gets one
  // that has come to rest meanwhile, unless it must be `fresh`. CANCELLED: when
  // its turn had come it was `unwanted`, which must live on.
  net::Task<absl::StatusOr<UpstreamPtr>> OpenAgent(AccessGrantPtr access,
                                                   net::Address address,
                                                   bool fresh,
                                                   const bool& cancelled);

  // From now on connections to agents are made with `agents`, and no session of
  // an older one is resumed. Where their issuer is `another` than before, those
  // at rest whose agent is not trusted any more are closed.
  void SetAgentContext(std::shared_ptr<const net::TlsContext> agents,
                       bool issuer_changed);

  // Closes what `routes` no longer admits.
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
  const int64_t frontend_idle_ms_;
  const int64_t agent_idle_ms_;
  const size_t max_idle_;
  size_t max_idle_frontends_;
  // By grant; "" is the frontend. The newest is at the back.
  absl::flat_hash_map<std::string, std::vector<UpstreamPtr>> idle_;
  size_t count_ = 0;
  std::shared_ptr<const net::TlsContext> agents_;
  ReverseTunnels* reverse_tunnels_ = nullptr;
  absl::Duration tcp_keepalive_timeout_ = absl::InfiniteDuration();
  // By job, for shorter handshakes; all made with agents_.
  absl::flat_hash_map<std::string, net::TlsSession> sessions_;
  KeyedSemaphore open_semaphore_;  // at opening one to an agent, by grant
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_UPSTREAM_POOL_H_
