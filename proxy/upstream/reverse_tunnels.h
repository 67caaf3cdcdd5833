// Reverse tunnels: agents connect to the proxy where a firewall blocks
// connections to the nodes. Each job has one tunnel, with a stream for each
// connection that the proxy would otherwise open to the agent.
//
//   agent ── TCP, "CARME1 LINK <job>\n" ──► the loop that accepts it
//                                             │ the job's loop
//   agent = TLS server ◄── handshake, as if the proxy had connected ──┘
//   agent = HTTP/2 server ◄── CONNECT: the grant, then HTTP/1.1
//
// Only the direction of the TCP connection is reversed. The preamble names the
// job but proves nothing: the TLS handshake authenticates the agent with the
// same certificates as any connection to an agent. A connection for an unknown
// job, or for one that does not use a reverse tunnel, is closed before the
// handshake.
//
// Each job's tunnel belongs to one loop, selected by the job's id. The other
// loops reach it by a pipe.
#ifndef CARME_PROXY_UPSTREAM_REVERSE_TUNNELS_H_
#define CARME_PROXY_UPSTREAM_REVERSE_TUNNELS_H_

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
#include "proxy/limits/keyed_rate_limiter.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

// Whether a job's agent uses a reverse tunnel: its route has port 0.
inline bool IsReverse(const net::Address& agent) { return agent.port() == 0; }

// Limits that all loops share, by the agents' address. IPv6 addresses count in
// full, because a cluster is one /64. Thread-safe.
struct ReverseTunnelLimits {
  explicit ReverseTunnelLimits(const ProxyLimits& limits)
      : tunnels(ConnectionLimiter::kUnlimited, limits.max_agents_per_address),
        handshakes(limits.agent_handshakes_per_s,
                   limits.agent_handshake_burst) {}

  ConnectionLimiter tunnels;
  KeyedRateLimiter handshakes;
};

// One per loop. Not thread-safe: used on the loop's thread, except where noted.
class ReverseTunnels {
 public:
  // All arguments must outlive it.
  ReverseTunnels(net::EventLoop& loop, const RouteTable& routes,
                 const ProxyLimits& limits, ReverseTunnelLimits& shared_limits,
                 Counters& counters);
  ReverseTunnels(const ReverseTunnels&) = delete;

  // The tunnels of all loops, including this one, in the same order on each
  // loop. Call it before the loops run.
  void SetPeers(const std::vector<ReverseTunnels*>& all) { all_ = all; }
  // The index of the loop that owns the job's tunnel.
  static size_t LoopOf(const JobId& job, size_t loops);
  // Accepts on `fd`, which the loops share. Call it before the loop runs.
  absl::Status Listen(int fd);
  // Accepts no new connections. Agents are asked to reconnect; they keep the
  // old tunnels for open streams.
  void StopAccepting();
  // Call it after the loop has stopped.
  void Clear() { listener_.reset(); }

  // The TLS context for handshakes, as in UpstreamPool.
  void SetAgentContext(std::shared_ptr<const net::TlsContext> agents,
                       bool issuer_changed);
  // Closes tunnels of jobs that no longer use one.
  void Recheck();

  // Opens a stream to the job's agent; waits for its tunnel. DEADLINE_EXCEEDED:
  // there was none; RESOURCE_EXHAUSTED: too many streams; CANCELLED:
  // `cancelled` became true. It must outlive the call.
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
  // A slot for a connection that is not authenticated yet.
  class PendingSlot;

  void Accept(UniqueFd fd, const net::Address& peer);
  net::Task<void> HandleConnection(UniqueFd fd, net::Address peer);
  net::Task<absl::StatusOr<JobId>> ReadPreamble(net::Stream& stream);
  // Runs on the job's loop.
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
  // By job. The newest tunnel is at the back and is used for new streams.
  absl::flat_hash_map<std::string, std::vector<Tunnel*>> tunnels_;
  bool draining_ = false;
  int64_t last_refusal_log_ms_ = -1;
  int64_t suppressed_refusals_ = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_REVERSE_TUNNELS_H_
