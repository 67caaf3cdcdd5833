#include "slurm-hooks/agent/data_path/reverse_tunnel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/net/socket.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/backoff.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kMaxPause = absl::Seconds(5);
constexpr absl::Duration kDialTimeout = absl::Seconds(10);
// After a connection shorter than this the next delay is longer.
constexpr int64_t kLastedMs = 10'000;
// To one proxy; more are processes that never end.
constexpr size_t kMaxLinks = 4;

}  // namespace

std::string TunnelPreamble(const JobId& job) {
  return absl::StrCat("CARME1 LINK ", job.value(), "\n");
}

struct ReverseTunnel::Link {
  explicit Link(net::EventLoop& loop) : left(loop, 1) {}
  std::unique_ptr<net::TlsStream> tls;
  std::shared_ptr<net::Http2Link> http2;
  net::Latch left;  // it accepts no new streams
  bool asked = false;
  absl::Status end = absl::OkStatus();
};

ReverseTunnel::ReverseTunnel(net::EventLoop& loop, ReverseTunnelOptions parts)
    : loop_(loop), parts_(std::move(parts)) {}

void ReverseTunnel::Start() { loop_.Spawn(Run()); }

void ReverseTunnel::Recheck() {
  const auto now = parts_.tls();
  for (Link* link : links_) {
    if (!link->tls->CheckAgain(*now).ok()) link->http2->Cut();
  }
}

net::Task<void> ReverseTunnel::Run() {
  const std::string proxy = parts_.proxy.ToString();
  absl::Duration pause = kFirstPause;
  bool logged = false;
  for (;;) {
    const int64_t began_ms = loop_.now_ms();
    absl::StatusOr<LinkPtr> link = co_await Dial();
    absl::Status why = link.status();
    if (link.ok()) {
      LogInfo("connected to proxy", {{"proxy", proxy}});
      logged = false;
      co_await (*link)->left.Wait();
      why = (*link)->asked
                ? absl::UnavailableError("the proxy requested a new connection")
                : (*link)->end;
      if (loop_.now_ms() - began_ms > kLastedMs) pause = kFirstPause;
    }
    // Once per loss, not per attempt.
    if (!absl::IsCancelled(why) && !std::exchange(logged, true)) {
      LogWarning("connection to proxy failed, retrying",
                 {{"proxy", proxy}, {"error", why.ToString()}});
    }
    const int stopped = co_await Pause(loop_, Jittered(pause));
    if (stopped == ECANCELED) co_return;
    pause = std::min(pause * 2, kMaxPause);
  }
}

net::Task<absl::StatusOr<ReverseTunnel::LinkPtr>> ReverseTunnel::Dial() {
  absl::StatusOr<UniqueFd> fd =
      co_await net::Connect(loop_, parts_.proxy, kDialTimeout);
  if (!fd.ok()) co_return fd.status();
  // The buffer of a new socket has space for it.
  const std::string preamble = TunnelPreamble(parts_.job);
  const ssize_t sent =
      send(fd->get(), preamble.data(), preamble.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(preamble.size())) {
    co_return ErrnoError(sent < 0 ? errno : EAGAIN, "send the tunnel preamble");
  }
  auto link = std::make_shared<Link>(loop_);
  auto tls = net::TlsStream::Create(loop_, *std::move(fd), parts_.tls());
  if (!tls.ok()) co_return tls.status();
  link->tls = *std::move(tls);
  link->tls->ExpireAfter(kDialTimeout);
  absl::Status shaken = co_await link->tls->Handshake();
  const auto now = parts_.tls();
  // The trust may have changed during the handshake.
  if (shaken.ok() && link->tls->context() != now.get()) {
    shaken = link->tls->CheckAgain(*now);
  }
  if (!shaken.ok()) co_return shaken;
  net::Http2LinkOptions options;
  options.max_streams = parts_.max_streams;
  options.on_stream = parts_.on_stream;
  options.on_leave = [raw = link.get()] {
    raw->asked = true;
    raw->left.CountDown();
  };
  link->http2 = net::Http2Link::Create(loop_, *link->tls, std::move(options));
  links_.push_back(link.get());
  if (links_.size() > kMaxLinks) links_.front()->http2->Cut();
  loop_.Spawn(Carry(link));
  co_return absl::StatusOr<LinkPtr>(std::move(link));
}

net::Task<void> ReverseTunnel::Carry(LinkPtr link) {
  link->end = co_await link->http2->Serve();
  links_.remove(link.get());
  link->left.CountDown();
}

}  // namespace carme::agent
