// Connects to a proxy, where a firewall lets no proxy connect to the agent, and
// keeps the connection for as long as the job runs.
//
// Only who connects is turned round: the first bytes name the job, and from
// then on it is as if the proxy had connected. The agent is TLS's server, shows
// the job's certificate and verifies the proxy's. By HTTP/2 there are many
// streams on the one connection, and each is what a connection of the proxy's
// would be (data_path.h).
//
// A proxy that is stopping, or that another process takes over from, says so:
// the agent connects anew, and what runs on the old connection goes on.
//
// Thread rule: the loop's thread. Destroyed after the loop has stopped.
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

// What the proxy reads first, in the clear: whom it is to verify.
std::string TunnelPreamble(const JobId& job);

struct ReverseTunnelOptions {
  net::Address proxy;
  JobId job;
  // What lets the proxy in now: a server's context.
  std::function<std::shared_ptr<const net::TlsContext>()> tls;
  std::function<void(std::unique_ptr<net::Stream>)> on_stream;
  uint32_t max_streams = 400;
};

class ReverseTunnel {
 public:
  ReverseTunnel(net::EventLoop& loop, ReverseTunnelOptions parts);
  ReverseTunnel(const ReverseTunnel&) = delete;

  // Begins, and goes on until the loop stops.
  void Start();
  // Ends the connections that what counts now would not let in.
  void Recheck();
  // Connections that stand, those that are being left too.
  size_t links() const { return links_.size(); }

 private:
  struct Link;
  using LinkPtr = std::shared_ptr<Link>;

  net::Task<void> Run();
  // Connects; the link is being carried when it returns.
  net::Task<absl::StatusOr<LinkPtr>> Dial();
  net::Task<void> Carry(LinkPtr link);

  net::EventLoop& loop_;
  const ReverseTunnelOptions parts_;
  std::list<Link*> links_;  // the oldest first
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_DATA_PATH_REVERSE_TUNNEL_H_
