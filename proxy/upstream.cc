#include "proxy/upstream.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/net/socket.h"
#include "common/pki/machine_identity.h"
#include "common/status.h"
#include "proxy/agent_links.h"
#include "proxy/lost_peers.h"

namespace carme::proxy {
namespace {

constexpr int64_t kSweepMs = 1000;
// What a browser asks for at once; a handshake more for each that is not kept.
constexpr size_t kMostIdleOfOne = 64;
// The agent has 64 for all loops and people.
constexpr size_t kMostOpening = 12;
// What the agent expects first: a mark, the length, the grant.
constexpr std::string_view kMagic("CARME1\0\0", 8);

const std::string& KeyOf(const AccessPtr& access) {
  static const std::string frontend;
  return access == nullptr ? frontend : access->signed_grant;
}

std::string Preamble(const std::string& grant) {
  std::string preamble(kMagic);
  for (int shift = 24; shift >= 0; shift -= 8) {
    preamble += static_cast<char>(grant.size() >> shift & 0xff);
  }
  return preamble + grant;
}

}  // namespace

bool IsTrusted(const Upstream& upstream, const net::TlsContext& agents) {
  return upstream.tls == nullptr || upstream.tls->CheckAgain(agents).ok();
}

UpstreamPool::UpstreamPool(net::EventLoop& loop, absl::Duration connect_timeout,
                           absl::Duration frontend_idle_timeout,
                           absl::Duration agent_idle_timeout, size_t most_idle)
    : Timer(loop.timers()),
      loop_(loop),
      connect_timeout_(connect_timeout),
      frontend_idle_ms_(absl::ToInt64Milliseconds(frontend_idle_timeout)),
      agent_idle_ms_(absl::ToInt64Milliseconds(agent_idle_timeout)),
      most_idle_(most_idle),
      max_idle_frontends_(kMostIdleOfOne),
      turns_(loop, kMostOpening) {}

UpstreamPool::~UpstreamPool() = default;

UpstreamPtr UpstreamPool::Take(const AccessPtr& access,
                               const net::Address& address) {
  auto found = idle_.find(KeyOf(access));
  if (found == idle_.end()) return nullptr;
  while (!found->second.empty()) {
    UpstreamPtr upstream = std::move(found->second.back());
    found->second.pop_back();
    --count_;
    if (upstream->address == address && upstream->stream->IsQuiet()) {
      upstream->reused = true;
      return upstream;
    }
  }
  return nullptr;
}

void UpstreamPool::Put(UpstreamPtr upstream) {
  if (count_ >= most_idle_) DropOldest();
  std::vector<UpstreamPtr>& others = idle_[KeyOf(upstream->access)];
  const size_t max_idle =
      upstream->access == nullptr ? max_idle_frontends_ : kMostIdleOfOne;
  if (others.size() >= max_idle) {
    others.erase(others.begin());
    --count_;
  }
  // A session of an older context would bring back whom the new one refuses:
  // who resumes is not verified again.
  if (upstream->tls != nullptr && !upstream->session_kept &&
      upstream->tls->context() == agents_.get()) {
    if (net::TlsSession session = upstream->tls->session()) {
      sessions_[upstream->access->host.job.value()] = std::move(session);
      upstream->session_kept = true;
    }
  }
  std::string().swap(upstream->held);
  upstream->stream->NeverExpire();
  upstream->idle_since_ms = loop_.now_ms();
  if (count_ == 0) ArmTimer(kSweepMs);
  others.push_back(std::move(upstream));
  ++count_;
  turns_.Nudge(KeyOf(others.back()->access));
}

template <typename Predicate>
void UpstreamPool::DropIf(Predicate predicate) {
  absl::erase_if(idle_, [&](auto& entry) {
    std::erase_if(entry.second, [&](UpstreamPtr& upstream) {
      const bool drop = predicate(*upstream);
      if (drop) --count_;
      return drop;
    });
    return entry.second.empty();
  });
}

// An eighth of them, so that who comes next does not look for the oldest again.
void UpstreamPool::DropOldest() {
  std::vector<int64_t> since;
  since.reserve(count_);
  for (const auto& [key, others] : idle_) {
    for (const UpstreamPtr& each : others) since.push_back(each->idle_since_ms);
  }
  size_t left = since.size() / 8 + 1;
  const auto last = since.begin() + static_cast<ptrdiff_t>(left - 1);
  std::nth_element(since.begin(), last, since.end());
  DropIf([&](Upstream& upstream) {
    return upstream.idle_since_ms <= *last && left > 0 && left-- > 0;
  });
}

void UpstreamPool::OnDeadline() {
  DropIf([&](Upstream& upstream) {
    const int64_t patience =
        upstream.access == nullptr ? frontend_idle_ms_ : agent_idle_ms_;
    return upstream.idle_since_ms + patience < loop_.now_ms() ||
           !upstream.stream->IsQuiet();
  });
  if (count_ > 0) ArmTimer(kSweepMs);
}

void UpstreamPool::Clear() {
  DropIf([](Upstream&) { return true; });
}

void UpstreamPool::Use(std::shared_ptr<const net::TlsContext> agents,
                       bool another) {
  agents_ = std::move(agents);
  sessions_.clear();
  if (another) {
    DropIf([&](Upstream& upstream) { return !IsTrusted(upstream, *agents_); });
  }
}

void UpstreamPool::Recheck(const RouteTable& routes, absl::Time now) {
  DropIf([&](Upstream& upstream) {
    return upstream.access != nullptr &&
           !routes.Admits(*upstream.access, upstream.address, now);
  });
  absl::erase_if(sessions_, [&](const auto& entry) {
    return routes.Find(JobId(entry.first)) == nullptr;
  });
}

net::Task<absl::StatusOr<UpstreamPtr>> UpstreamPool::OpenFrontend(
    net::Address address) {
  absl::StatusOr<UniqueFd> fd =
      co_await net::Connect(loop_, address, connect_timeout_);
  if (!fd.ok()) co_return fd.status();
  absl::StatusOr<std::unique_ptr<net::Stream>> stream =
      net::NewSocketStream(loop_, *std::move(fd));
  if (!stream.ok()) co_return stream.status();
  co_return UpstreamPtr(
      new Upstream{*std::move(stream), nullptr, address, "", false, 0});
}

net::Task<absl::StatusOr<UpstreamPtr>> UpstreamPool::OpenAgent(
    AccessPtr access, net::Address address, bool fresh, const bool& unwanted) {
  const std::string& key = KeyOf(access);
  while (!turns_.Enter(key)) {
    absl::Status waited = co_await turns_.Wait(key);
    if (!waited.ok()) co_return waited;
    UpstreamPtr idle = fresh || unwanted ? nullptr : Take(access, address);
    if (idle == nullptr && !unwanted) continue;
    turns_.Nudge(key);
    if (idle == nullptr) co_return absl::CancelledError("not wanted any more");
    co_return absl::StatusOr<UpstreamPtr>(std::move(idle));
  }
  absl::StatusOr<UpstreamPtr> opened = co_await Greet(access, address, unwanted);
  // An agent that does not answer would not answer the others either.
  const bool hopeless = absl::IsDeadlineExceeded(opened.status()) ||
                        absl::IsCancelled(opened.status());
  turns_.Leave(key, hopeless ? opened.status() : absl::OkStatus());
  co_return absl::StatusOr<UpstreamPtr>(std::move(opened));
}

net::Task<absl::StatusOr<UpstreamPtr>> UpstreamPool::Greet(
    AccessPtr access, net::Address address, const bool& unwanted) {
  UpstreamPtr upstream;
  if (!Dials(address)) {
    auto connected = co_await Connect(access, address);
    if (!connected.ok()) co_return connected.status();
    upstream = *std::move(connected);
  } else {
    if (links_ == nullptr) {
      co_return absl::UnavailableError("agents that dial are not reached");
    }
    auto opened = co_await links_->Open(access->host.job, unwanted);
    if (!opened.ok()) co_return opened.status();
    upstream.reset(new Upstream{*std::move(opened), access, address, "", false, 0});
    upstream->stream->ExpireAfter(connect_timeout_);
  }
  net::IoResult sent =
      co_await upstream->stream->Write(Preamble(access->signed_grant));
  if (sent.error != 0) co_return ErrnoError(sent.error, "send the grant");
  // The issuer may have changed since.
  net::TlsStream* tls = upstream->tls;
  if (tls != nullptr && tls->context() != agents_.get()) {
    absl::Status checked = tls->CheckAgain(*agents_);
    if (!checked.ok()) co_return checked;
  }
  co_return absl::StatusOr<UpstreamPtr>(std::move(upstream));
}

net::Task<absl::StatusOr<UpstreamPtr>> UpstreamPool::Connect(
    AccessPtr access, net::Address address) {
  absl::StatusOr<UniqueFd> fd =
      co_await net::Connect(loop_, address, connect_timeout_);
  if (!fd.ok()) co_return fd.status();
  GiveUpLostPeers(fd->get(), lost_peer_);
  net::TlsSession session;
  auto known = sessions_.find(access->host.job.value());
  if (known != sessions_.end()) session = known->second;
  absl::StatusOr<std::unique_ptr<net::TlsStream>> stream =
      net::TlsStream::Create(
          loop_, *std::move(fd), agents_,
          {access->host.job.value() + ".job.carme",
           ToUri({MachineRole::kJob, access->host.job.value()})},
          session);
  if (!stream.ok()) co_return stream.status();
  (*stream)->ExpireAfter(connect_timeout_);
  absl::Status shaken = co_await (*stream)->Handshake();
  if (!shaken.ok()) co_return shaken;
  net::TlsStream* tls = stream->get();
  UpstreamPtr upstream(
      new Upstream{*std::move(stream), std::move(access), address, "", false, 0});
  upstream->tls = tls;
  co_return absl::StatusOr<UpstreamPtr>(std::move(upstream));
}

}  // namespace carme::proxy
