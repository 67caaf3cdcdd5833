#include "proxy/upstream/reverse_tunnels.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/time/clock.h"
#include "common/log.h"
#include "common/net/relay.h"
#include "common/pki/machine_identity.h"
#include "common/status.h"
#include "proxy/upstream/messages.h"
#include "proxy/upstream/tunnel_preamble.h"

namespace carme::proxy {
namespace {

// An agent that reconnects opens a tunnel before the old one has ended.
constexpr size_t kMaxTunnelsPerJob = 2;
constexpr absl::Duration kPollInterval = absl::Milliseconds(20);
// The forwarded streams have timeouts of their own.
constexpr absl::Duration kNoTimeout = absl::Hours(24 * 366);

// Limits log lines caused by a hostile host.
constexpr int64_t kRefusalLogIntervalMs = 1000;

}  // namespace

ReverseTunnels::ReverseTunnels(net::EventLoop& loop, const RouteTable& routes,
                               const ProxyLimits& limits,
                               ReverseTunnelLimits& shared_limits,
                               Counters& counters)
    : loop_(loop),
      routes_(routes),
      limits_(limits),
      shared_limits_(shared_limits),
      counters_(counters) {}

void ReverseTunnels::StopAccepting() {
  draining_ = true;
  listener_.reset();
  for (const auto& [job, tunnels] : tunnels_) {
    for (Tunnel* tunnel : tunnels) tunnel->http2->Drain();
  }
}

void ReverseTunnels::SetAgentContext(
    std::shared_ptr<const net::TlsContext> agents, bool issuer_changed) {
  agents_ = std::move(agents);
  if (!issuer_changed) return;
  for (const auto& [job, tunnels] : tunnels_) {
    for (Tunnel* tunnel : tunnels) {
      if (!tunnel->tls->CheckAgain(*agents_).ok()) tunnel->http2->Cut();
    }
  }
}

void ReverseTunnels::Recheck() {
  for (const auto& [job, tunnels] : tunnels_) {
    if (CheckRoute(JobId(job)).ok()) continue;
    for (Tunnel* tunnel : tunnels) tunnel->http2->Cut();
  }
}

absl::Status ReverseTunnels::CheckRoute(const JobId& job) const {
  const net::Address* agent = routes_.Find(job);
  if (agent == nullptr) {
    return MakePlainError(proxy_upstream_messages::kJobUnknown,
                          {{"job", job.value()}});
  }
  if (IsReverse(*agent)) return absl::OkStatus();
  return MakePlainError(proxy_upstream_messages::kNoTunnelJob,
                        {{"job", job.value()}});
}

size_t ReverseTunnels::LoopOf(const JobId& job, size_t loops) {
  return std::hash<std::string>()(job.value()) % loops;
}

ReverseTunnels& ReverseTunnels::OwnerOf(const JobId& job) const {
  return *all_[LoopOf(job, all_.size())];
}

void ReverseTunnels::Add(const JobId& job, Tunnel* tunnel) {
  std::vector<Tunnel*>& tunnels = tunnels_[job.value()];
  for (Tunnel* older : tunnels) older->http2->Drain();
  tunnels.push_back(tunnel);
  if (tunnels.size() > kMaxTunnelsPerJob) tunnels.front()->http2->Cut();
  counters_.reverse_tunnels.Add();
}

void ReverseTunnels::Remove(const JobId& job, Tunnel* tunnel) {
  auto found = tunnels_.find(job.value());
  std::erase(found->second, tunnel);
  if (found->second.empty()) tunnels_.erase(found);
  counters_.reverse_tunnels.Subtract();
}

net::Task<absl::StatusOr<std::unique_ptr<net::Stream>>>
ReverseTunnels::OpenOnThisLoop(JobId job, const bool& cancelled) {
  const int64_t due =
      loop_.now_ms() + absl::ToInt64Milliseconds(limits_.connect_timeout);
  for (;;) {
    const auto found = tunnels_.find(job.value());
    if (found != tunnels_.end()) {
      auto opened = found->second.back()->http2->Open();
      if (!absl::IsUnavailable(opened.status())) co_return opened;
    }
    if (cancelled) co_return absl::CancelledError("request cancelled");
    if (loop_.now_ms() >= due) {
      co_return MakePlainError(proxy_upstream_messages::kNoTunnel);
    }
    const int stopped = co_await net::Sleep(loop_, kPollInterval);
    if (stopped != 0) co_return ErrnoError(stopped, "wait for the agent");
  }
}

net::Task<absl::StatusOr<std::unique_ptr<net::Stream>>> ReverseTunnels::Open(
    JobId job, const bool& cancelled) {
  ReverseTunnels& owner = OwnerOf(job);
  if (&owner == this) {
    auto opened = co_await OpenOnThisLoop(std::move(job), cancelled);
    co_return opened;
  }
  auto pipe = std::make_shared<net::Pipe>(loop_, owner.loop_);
  std::unique_ptr<net::Stream> near = net::Pipe::NewEnd(pipe, loop_);
  owner.loop_.Post([&owner, job = std::move(job), pipe = std::move(pipe)] {
    owner.loop_.Spawn(owner.Forward(job, pipe));
  });
  // The other loop waits for the agent and then sends a status code.
  near->ExpireAfter(2 * limits_.connect_timeout);
  char code = 0;
  const net::IoResult got = co_await near->Read(&code, 1);
  if (got.error != 0 || got.bytes == 0) {
    co_return ErrnoError(got.error != 0 ? got.error : ECONNRESET,
                         "reach the agent");
  }
  if (code != 0) {
    co_return absl::Status(static_cast<absl::StatusCode>(code),
                           "cannot reach the agent");
  }
  co_return absl::StatusOr<std::unique_ptr<net::Stream>>(std::move(near));
}

net::Task<void> ReverseTunnels::Forward(JobId job,
                                        std::shared_ptr<net::Pipe> pipe) {
  std::unique_ptr<net::Stream> far = net::Pipe::NewEnd(std::move(pipe), loop_);
  const bool cancelled = false;
  auto opened = co_await OpenOnThisLoop(std::move(job), cancelled);
  const char code = static_cast<char>(opened.status().code());
  const net::IoResult sent = co_await far->Write({&code, 1});
  if (!opened.ok() || sent.error != 0) co_return;
  net::RelayOptions options;
  options.idle_timeout = options.half_closed_timeout = kNoTimeout;
  co_await net::Relay(*far, **opened, options);
}

// A slot for an unauthenticated connection. A new connection closes the oldest
// one, so that unauthenticated clients cannot keep agents out. When the limit
// of an address is reached, the oldest of that address is closed.
class ReverseTunnels::PendingSlot {
 public:
  PendingSlot(PendingList& all, net::Stream& stream, const std::string& from,
              const ProxyLimits& limits)
      : all_(all), stream_(&stream) {
    const auto has_same_address = [&](const PendingConnection& one) {
      return one.from == from;
    };
    const auto same_address =
        std::count_if(all_.begin(), all_.end(), has_same_address);
    if (same_address >= limits.max_unauthenticated_agents_per_address) {
      End(std::find_if(all_.begin(), all_.end(), has_same_address));
    } else if (all_.size() >=
               static_cast<size_t>(limits.max_unauthenticated_agents)) {
      End(all_.begin());
    }
    all_.push_back({stream_, from});
  }
  ~PendingSlot() {
    all_.remove_if(
        [&](const PendingConnection& one) { return one.stream == stream_; });
  }
  PendingSlot(const PendingSlot&) = delete;

 private:
  void End(PendingList::iterator one) {
    one->stream->Cancel(ECONNABORTED);
    all_.erase(one);
  }

  PendingList& all_;
  net::Stream* const stream_;
};

absl::Status ReverseTunnels::Listen(int fd) {
  ASSIGN_OR_RETURN(
      listener_,
      net::Listener::Create(loop_, fd,
                            [this](UniqueFd socket, const net::Address& peer) {
                              Accept(std::move(socket), peer);
                            }));
  return absl::OkStatus();
}

void ReverseTunnels::Accept(UniqueFd fd, const net::Address& peer) {
  loop_.Spawn(HandleConnection(std::move(fd), peer));
}

net::Task<absl::StatusOr<JobId>> ReverseTunnels::ReadPreamble(
    net::Stream& stream) {
  char bytes[kTunnelPreambleBytes];
  size_t size = 0;
  // Read no byte more than the preamble: TLS follows.
  for (;;) {
    const net::IoResult got =
        co_await stream.Read(bytes + size, sizeof bytes - size);
    if (got.error != 0) co_return ErrnoError(got.error, "read the preamble");
    if (got.bytes == 0)
      co_return MakePlainError(proxy_upstream_messages::kConnectionClosed);
    size += got.bytes;
    absl::StatusOr<std::optional<JobId>> job =
        ScanTunnelPreamble({bytes, size});
    if (!job.ok()) co_return job.status();
    if (job->has_value()) co_return **std::move(job);
  }
}

net::Task<void> ReverseTunnels::HandleConnection(UniqueFd fd,
                                                 net::Address peer) {
  auto stream = net::NewSocketStream(loop_, std::move(fd));
  if (!stream.ok()) co_return Refuse(peer, stream.status());
  absl::StatusOr<JobId> job = absl::InternalError("not read");
  {
    const PendingSlot slot(awaiting_preamble_, **stream, peer.Ip(), limits_);
    // Set once, so that slow bytes do not extend it.
    (*stream)->ExpireAfter(limits_.handshake_timeout);
    job = co_await ReadPreamble(**stream);
  }
  if (!job.ok()) co_return Refuse(peer, job.status());
  ReverseTunnels& owner = OwnerOf(*job);
  auto socket = std::make_shared<UniqueFd>((*stream)->Release());
  owner.loop_.Post([&owner, socket, id = *job, peer] {
    owner.loop_.Spawn(owner.Serve(std::move(*socket), id, peer));
  });
}

net::Task<absl::Status> ReverseTunnels::Handshake(net::TlsStream& tls,
                                                  const JobId& job,
                                                  const std::string& from) {
  const PendingSlot slot(in_handshake_, tls, from, limits_);
  tls.ExpireAfter(limits_.handshake_timeout);
  absl::Status handshake = co_await tls.Handshake();
  tls.NeverExpire();
  // Context and route may have changed during the handshake.
  if (handshake.ok() && tls.context() != agents_.get()) {
    handshake = tls.CheckAgain(*agents_);
  }
  if (handshake.ok()) handshake = CheckRoute(job);
  co_return handshake;
}

net::Task<void> ReverseTunnels::Serve(UniqueFd fd, JobId job,
                                      net::Address peer) {
  absl::Status known = CheckRoute(job);
  if (draining_) known = MakePlainError(proxy_upstream_messages::kStopping);
  const std::string from = peer.Ip();
  if (known.ok() && !shared_limits_.handshakes.Allow(from, absl::Now())) {
    known = MakePlainError(proxy_upstream_messages::kTooManyHandshakes);
  }
  if (!known.ok()) co_return Refuse(peer, known);
  Tunnel tunnel;
  {
    const net::TlsServerName name{job.value() + ".job.carme",
                                  ToUri({MachineRole::kJob, job.value()})};
    auto made = net::TlsStream::Create(loop_, std::move(fd), agents_, name);
    if (!made.ok()) co_return Refuse(peer, made.status());
    tunnel.tls = *std::move(made);
  }
  absl::Status handshake = co_await Handshake(*tunnel.tls, job, from);
  ConnectionSlot slot;
  if (handshake.ok()) {
    slot = shared_limits_.tunnels.TryAcquire(from);
    if (!slot.acquired()) {
      handshake = MakePlainError(proxy_upstream_messages::kTooManyAgents);
    }
  }
  if (!handshake.ok()) co_return Refuse(peer, handshake);
  tunnel.http2 = net::Http2Link::Create(loop_, *tunnel.tls, {});
  Add(job, &tunnel);
  LogInfo("reverse tunnel opened", {{"job", job.value()}, {"node", peer.Ip()}});
  if (draining_) tunnel.http2->Drain();
  const absl::Status ended = co_await tunnel.http2->Serve();
  Remove(job, &tunnel);
  LogInfo("reverse tunnel closed",
          {{"job", job.value()}, {"error", ended.ToString()}});
}

void ReverseTunnels::Refuse(const net::Address& peer,
                            const absl::Status& error) {
  // Cancelled because the loop ends: not a refusal.
  if (absl::IsCancelled(error)) return;
  counters_.agents_refused.Add();
  const int64_t now_ms = loop_.now_ms();
  if (last_refusal_log_ms_ >= 0 &&
      now_ms - last_refusal_log_ms_ < kRefusalLogIntervalMs) {
    ++suppressed_refusals_;
    return;
  }
  LogWarning("agent rejected", {{"from", peer.Ip()},
                                {"error", error.ToString()},
                                {"suppressed", suppressed_refusals_}});
  last_refusal_log_ms_ = now_ms;
  suppressed_refusals_ = 0;
}

}  // namespace carme::proxy
