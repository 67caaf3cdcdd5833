// Connections of agents that dial the proxy, where a firewall lets nothing pass
// the other way: one of each job's, with a stream for each connection that the
// proxy would else make to the agent.
//
//   agent ── TCP, "CARME1 LINK <job>\n" ──► the loop that accepts it
//                                             │ the loop that the job belongs
//                                             to
//   agent = TLS server ◄── handshake, as if the proxy had connected ──┘
//   agent = HTTP/2 server ◄── CONNECT: the grant, then HTTP/1.1
//
// Only who connects is turned round. The hello says whose certificate to expect
// and proves nothing: the handshake does, with the certificates and names of
// any other connection to an agent. A job that is not known, or whose agent
// does not dial, is refused before it.
//
// Each job's connection is on the one loop that its name says; others reach it
// by a pipe.
#ifndef CARME_PROXY_UPSTREAM_REVERSE_TUNNELS_H_
#define CARME_PROXY_UPSTREAM_REVERSE_TUNNELS_H_

#include <climits>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/http2/http2_link.h"
#include "common/net/pipe.h"
#include "common/net/socket.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "common/net/tls/tls_stream.h"
#include "common/unique_fd.h"
#include "proxy/config/proxy_config.h"
#include "proxy/control/route_table.h"
#include "proxy/limits/connection_limiter.h"
#include "proxy/limits/rate_limiter.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

// Whether a job's agent is one that dials: the backend gives no port.
inline bool IsReverse(const net::Address& agent) { return agent.port() == 0; }

// What all loops count together, by the address that agents dial from: whole,
// IPv6 as well, because a cluster is one /64. Thread-safe.
struct ReverseTunnelLimits {
  explicit ReverseTunnelLimits(const ProxyLimits& limits)
      : tunnels(INT_MAX, limits.max_agents_per_address),
        handshakes(limits.agent_handshakes_per_s,
                   limits.agent_handshake_burst) {}

  ConnectionLimiter tunnels;
  RateLimiter handshakes;
};

// One a loop, on its thread, except where noted.
class ReverseTunnels {
 public:
  // All outlive this.
  ReverseTunnels(net::EventLoop& loop, const RouteTable& routes,
                 const ProxyLimits& limits, ReverseTunnelLimits& shared_limits,
                 Counters& counters);
  ReverseTunnels(const ReverseTunnels&) = delete;

  // Those of all loops, in the same order everywhere, this one too. Before the
  // loops run.
  void SetPeers(const std::vector<ReverseTunnels*>& all) { all_ = all; }
  // Which of so many loops has the job's connection.
  static size_t LoopOf(const JobId& job, size_t loops);
  // Accepts on `fd`, which it shares with the other loops. Before Run.
  absl::Status Listen(int fd);
  // No new connections; the agents are told to dial anew, and keep the old ones
  // for what runs there.
  void StopAccepting();
  // After the loop has stopped.
  void Clear() { listener_.reset(); }

  // As UpstreamPool's: what handshakes are made with.
  void SetAgentContext(std::shared_ptr<const net::TlsContext> agents,
                       bool issuer_changed);
  // Closes those of jobs whose agents do not dial here any more.
  void Recheck();

  // What a new connection to the job's agent would be after its handshake.
  // Waits for the agent to dial. DEADLINE_EXCEEDED: it did not;
  // RESOURCE_EXHAUSTED: too many streams at once. CANCELLED: `unwanted` became
  // true, which must live on.
  net::Task<absl::StatusOr<std::unique_ptr<net::Stream>>> Open(
      JobId job, const bool& cancelled);

 private:
  struct Tunnel {
    std::unique_ptr<net::TlsStream> tls;
    std::shared_ptr<net::Http2Link> http2;
  };
  struct PendingConnection {
    net::Stream* stream;
    std::string from;
  };
  using PendingList = std::list<PendingConnection>;
  // A place among those that have still to prove themselves, for as long as it
  // lives.
  class PendingSlot;
  class AddressSlot;

  void Accept(UniqueFd fd, const net::Address& peer);
  net::Task<void> HandleConnection(UniqueFd fd, net::Address peer);
  net::Task<absl::StatusOr<JobId>> ReadPreamble(net::Stream& stream);
  // On the job's own loop.
  net::Task<void> Serve(UniqueFd fd, JobId job, net::Address peer);
  net::Task<absl::Status> Handshake(net::TlsStream& tls, const JobId& job,
                                    const std::string& from);
  void Add(const JobId& job, Tunnel* tunnel);
  void Remove(const JobId& job, Tunnel* tunnel);
  net::Task<absl::StatusOr<std::unique_ptr<net::Stream>>> OpenOnThisLoop(
      JobId job, const bool& cancelled);
  net::Task<void> Forward(JobId job, std::shared_ptr<net::Pipe> pipe);
  absl::Status CheckRoute(const JobId& job) const;
  ReverseTunnels& OwnerOf(const JobId& job) const;
  void Refuse(const net::Address& peer, const absl::Status& error);

  net::EventLoop& loop_;
  const RouteTable& routes_;
  const ProxyLimits& limits_;
  ReverseTunnelLimits& shared_limits_;
  Counters& counters_;
  std::vector<ReverseTunnels*> all_;
  std::unique_ptr<net::Listener> listener_;
  std::shared_ptr<const net::TlsContext> agents_;
  PendingList awaiting_preamble_, in_handshake_;  // the oldest first
  // By job. The newest is at the back and takes what is new.
  absl::flat_hash_map<std::string, std::vector<Tunnel*>> tunnels_;
  bool draining_ = false;
  int64_t last_refusal_log_ms_ = -1;
  int64_t suppressed_refusals_ = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_REVERSE_TUNNELS_H_
