// How an agent that dials becomes a link: hello, handshake, HTTP/2.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/time/clock.h"
#include "common/log.h"
#include "common/pki/machine_identity.h"
#include "common/status.h"
#include "proxy/agent_hello.h"
#include "proxy/agent_links.h"

namespace carme::proxy {
namespace {

// A hostile host must not fill the log.
constexpr int64_t kBetweenRefusalsMs = 1000;

}  // namespace

// A newcomer ends the oldest, so that strangers cannot keep agents out; where
// an address has all its places, the oldest of that address.
class AgentLinks::Place {
 public:
  Place(Opening& all, net::Stream& stream, const std::string& from,
        const ProxyLimits& limits)
      : all_(all), stream_(&stream) {
    const auto is_neighbour = [&](const Arrival& one) {
      return one.from == from;
    };
    const auto neighbours =
        std::count_if(all_.begin(), all_.end(), is_neighbour);
    if (neighbours >= limits.most_agent_arrivals_per_address) {
      End(std::find_if(all_.begin(), all_.end(), is_neighbour));
    } else if (all_.size() >= static_cast<size_t>(limits.most_agent_arrivals)) {
      End(all_.begin());
    }
    all_.push_back({stream_, from});
  }
  ~Place() {
    all_.remove_if([&](const Arrival& one) { return one.stream == stream_; });
  }
  Place(const Place&) = delete;

 private:
  void End(Opening::iterator one) {
    one->stream->Cancel(ECONNABORTED);
    all_.erase(one);
  }

  Opening& all_;
  net::Stream* const stream_;
};

// One of those that its address may have, for as long as it lives.
class AgentLinks::Seat {
 public:
  Seat(Admission& all, const std::string& from)
      : all_(all), from_(from), taken_(all.Enter(from)) {}
  ~Seat() {
    if (taken_) all_.Leave(from_);
  }
  Seat(const Seat&) = delete;
  bool taken() const { return taken_; }

 private:
  Admission& all_;
  const std::string from_;
  const bool taken_;
};

absl::Status AgentLinks::Listen(int fd) {
  ASSIGN_OR_RETURN(
      listener_,
      net::Listener::Create(loop_, fd,
                            [this](UniqueFd socket, const net::Address& peer) {
                              Accept(std::move(socket), peer);
                            }));
  return absl::OkStatus();
}

void AgentLinks::Accept(UniqueFd fd, const net::Address& peer) {
  loop_.Spawn(Meet(std::move(fd), peer));
}

net::Task<absl::StatusOr<JobId>> AgentLinks::ReadHello(net::Stream& stream) {
  char bytes[kAgentHelloBytes];
  size_t size = 0;
  // Not one byte more: what follows is TLS.
  for (;;) {
    const net::IoResult got =
        co_await stream.Read(bytes + size, sizeof bytes - size);
    if (got.error != 0) co_return ErrnoError(got.error, "read the hello");
    if (got.bytes == 0) co_return absl::UnavailableError("hung up");
    size += got.bytes;
    absl::StatusOr<std::optional<JobId>> job = ScanAgentHello({bytes, size});
    if (!job.ok()) co_return job.status();
    if (job->has_value()) co_return **std::move(job);
  }
}

net::Task<void> AgentLinks::Meet(UniqueFd fd, net::Address peer) {
  auto stream = net::NewSocketStream(loop_, std::move(fd));
  if (!stream.ok()) co_return Refuse(peer, stream.status());
  absl::StatusOr<JobId> job = absl::InternalError("not read");
  {
    const Place place(greeting_, **stream, peer.Ip(), limits_);
    // Set once: a trickle of bytes does not move it.
    (*stream)->ExpireAfter(limits_.handshake_timeout);
    job = co_await ReadHello(**stream);
  }
  if (!job.ok()) co_return Refuse(peer, job.status());
  AgentLinks& owner = OwnerOf(*job);
  auto socket = std::make_shared<UniqueFd>((*stream)->Release());
  owner.loop_.Post([&owner, socket, id = *job, peer] {
    owner.loop_.Spawn(owner.Serve(std::move(*socket), id, peer));
  });
}

net::Task<absl::Status> AgentLinks::Shake(net::TlsStream& tls, const JobId& job,
                                          const std::string& from) {
  const Place place(shaking_, tls, from, limits_);
  tls.ExpireAfter(limits_.handshake_timeout);
  absl::Status shaken = co_await tls.Handshake();
  tls.NeverExpire();
  // Both may have changed meanwhile.
  if (shaken.ok() && tls.context() != agents_.get()) {
    shaken = tls.CheckAgain(*agents_);
  }
  if (shaken.ok()) shaken = CheckRoute(job);
  co_return shaken;
}

net::Task<void> AgentLinks::Serve(UniqueFd fd, JobId job, net::Address peer) {
  absl::Status known = CheckRoute(job);
  if (leaving_) known = absl::UnavailableError("stopping");
  const std::string from = peer.Ip();
  if (known.ok() && !gate_.handshakes.Take(from, absl::Now())) {
    known = absl::ResourceExhaustedError("too many handshakes a second");
  }
  if (!known.ok()) co_return Refuse(peer, known);
  Link link;
  {
    const net::TlsServerName name{job.value() + ".job.carme",
                                  ToUri({MachineRole::kJob, job.value()})};
    auto made = net::TlsStream::Create(loop_, std::move(fd), agents_, name);
    if (!made.ok()) co_return Refuse(peer, made.status());
    link.tls = *std::move(made);
  }
  absl::Status shaken = co_await Shake(*link.tls, job, from);
  const Seat seat(gate_.links, shaken.ok() ? from : "");
  if (shaken.ok() && !seat.taken()) {
    shaken = absl::ResourceExhaustedError("too many agents of one address");
  }
  if (!shaken.ok()) co_return Refuse(peer, shaken);
  link.http2 = net::Http2Link::Create(loop_, *link.tls, {});
  Add(job, &link);
  LogInfo("agent dialled", {{"job", job.value()}, {"node", peer.Ip()}});
  if (leaving_) link.http2->Drain();
  const absl::Status ended = co_await link.http2->Serve();
  Remove(job, &link);
  LogInfo("agent's link ended",
          {{"job", job.value()}, {"why", ended.ToString()}});
}

void AgentLinks::Refuse(const net::Address& peer, const absl::Status& why) {
  // What the loop's end cancels was not refused.
  if (absl::IsCancelled(why)) return;
  counters_.agents_refused.Add();
  const int64_t now_ms = loop_.now_ms();
  if (refusal_logged_ms_ >= 0 &&
      now_ms - refusal_logged_ms_ < kBetweenRefusalsMs) {
    ++refusals_unlogged_;
    return;
  }
  LogWarning("agent refused", {{"from", peer.Ip()},
                               {"why", why.ToString()},
                               {"before_unlogged", refusals_unlogged_}});
  refusal_logged_ms_ = now_ms;
  refusals_unlogged_ = 0;
}

}  // namespace carme::proxy
