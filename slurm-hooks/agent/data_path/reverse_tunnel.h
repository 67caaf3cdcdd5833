// Connects to a proxy when a firewall prevents the proxy from connecting to the
// agent, and keeps the connection while the job runs.
//
// Only the direction of the TCP connection is reversed: the first bytes name
// the job, and then the agent is the TLS server as usual, presents the job's
// certificate and verifies the proxy's. The connection carries HTTP/2 with many
// streams, each of which replaces one connection of the proxy (data_path.h).
//
// A proxy announces that it stops or restarts: the agent then opens a new
// connection, and sessions on the old one continue.
//
// Thread safety: used on the loop's thread only. Destroy after the loop has
// stopped.
#ifndef CARME_SLURM_HOOKS_AGENT_DATA_PATH_REVERSE_TUNNEL_H_
#define CARME_SLURM_HOOKS_AGENT_DATA_PATH_REVERSE_TUNNEL_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/http2/http2_link.h"
#include "common/net/task.h"
#include "common/net/tls/tls_context.h"
#include "common/net/tls/tls_stream.h"

namespace carme::agent {

// Returns the unencrypted first line for the proxy, which names the job to
// verify.
std::string TunnelPreamble(const JobId& job);

struct ReverseTunnelOptions {
  net::Address proxy;
  JobId job;
  // Returns the current TLS server context that accepts the proxy.
  std::function<std::shared_ptr<const net::TlsContext>()> tls;
  std::function<void(std::unique_ptr<net::Stream>)> on_stream;
  uint32_t max_streams = 400;
};

class ReverseTunnel {
 public:
  ReverseTunnel(net::EventLoop& loop, ReverseTunnelOptions parts);
  ReverseTunnel(const ReverseTunnel&) = delete;

  // Connects, and reconnects until the loop stops.
  void Start();
  // Closes connections that the current TLS context would reject.
  void Recheck();
  // Open connections, including those that are being drained.
  size_t links() const { return links_.size(); }

 private:
  struct Link;
  using LinkPtr = std::shared_ptr<Link>;

  net::Task<void> Run();
  // Connects; the connection is served in the background when it returns.
  net::Task<absl::StatusOr<LinkPtr>> Dial();
  net::Task<void> Carry(LinkPtr link);

  net::EventLoop& loop_;
  const ReverseTunnelOptions parts_;
  std::list<Link*> links_;  // oldest first
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_DATA_PATH_REVERSE_TUNNEL_H_
