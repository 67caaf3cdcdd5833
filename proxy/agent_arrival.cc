// How an agent that dials becomes a link: hello, handshake, HTTP/2.
#include <cerrno>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/pki/machine_identity.h"
#include "common/status.h"
#include "proxy/agent_links.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kHello = "CARME1 LINK ";
constexpr size_t kJobIdBytes = 16;
constexpr size_t kHelloBytes = kHello.size() + kJobIdBytes + 1;
// Each of them twice on a loop: before and within the handshake. A newcomer
// ends the oldest, so that strangers cannot keep agents out.
constexpr size_t kMostOpening = 128;
// A hostile host must not fill the log.
constexpr int64_t kBetweenRefusalsMs = 1000;

}  // namespace

class AgentLinks::Place {
 public:
  Place(Opening& others, net::Stream& stream) : others_(others) {
    if (others_.size() >= kMostOpening) {
      others_.front()->Cancel(ECONNABORTED);
      others_.pop_front();
    }
    others_.push_back(&stream);
    at_ = &stream;
  }
  ~Place() { others_.remove(at_); }
  Place(const Place&) = delete;

 private:
  Opening& others_;
  net::Stream* at_;
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
  std::string hello(kHelloBytes, '\0');
  size_t size = 0;
  // Not one byte more: what follows is TLS.
  while (size < hello.size()) {
    const net::IoResult got =
        co_await stream.Read(hello.data() + size, hello.size() - size);
    if (got.error != 0) co_return ErrnoError(got.error, "read the hello");
    if (got.bytes == 0) co_return absl::UnavailableError("hung up");
    size += got.bytes;
    // Who speaks otherwise is not waited for.
    const size_t known = std::min(size, kHello.size());
    if (hello.compare(0, known, kHello.substr(0, known)) != 0) {
      co_return absl::InvalidArgumentError("no agent's hello");
    }
  }
  std::string job = hello.substr(kHello.size(), kJobIdBytes);
  if (hello.back() != '\n' || !IsJobId(job)) {
    co_return absl::InvalidArgumentError("hello without a job");
  }
  co_return JobId(std::move(job));
}

net::Task<void> AgentLinks::Meet(UniqueFd fd, net::Address peer) {
  auto stream = net::NewSocketStream(loop_, std::move(fd));
  if (!stream.ok()) co_return Refuse(peer, stream.status());
  absl::StatusOr<JobId> job = absl::InternalError("not read");
  {
    const Place place(greeting_, **stream);
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

net::Task<absl::Status> AgentLinks::Shake(net::TlsStream& tls,
                                          const JobId& job) {
  const Place place(shaking_, tls);
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
  if (!known.ok()) co_return Refuse(peer, known);
  Link link;
  {
    const net::TlsServerName name{job.value() + ".job.carme",
                                  ToUri({MachineRole::kJob, job.value()})};
    auto made = net::TlsStream::Create(loop_, std::move(fd), agents_, name);
    if (!made.ok()) co_return Refuse(peer, made.status());
    link.tls = *std::move(made);
  }
  const absl::Status shaken = co_await Shake(*link.tls, job);
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
