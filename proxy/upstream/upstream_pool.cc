#include "proxy/upstream/upstream_pool.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/net/socket.h"
#include "common/pki/machine_identity.h"
#include "common/status.h"
#include "proxy/upstream/messages.h"
#include "proxy/upstream/reverse_tunnels.h"
#include "proxy/upstream/tcp_keepalive.h"

namespace carme::proxy {
namespace {

constexpr int64_t kSweepMs = 1000;
// The number of requests that a browser sends at once. Each connection that is
// not kept costs a handshake.
constexpr size_t kMaxIdlePerGrant = 64;
// The agent accepts 64 from all loops and users.
constexpr size_t kMaxConcurrentOpens = 12;
// The preamble of a connection to an agent: magic, length, grant.
constexpr std::string_view kMagic("CARME1\0\0", 8);

const std::string& KeyOf(const AccessGrantPtr& access) {
  return access->signed_grant;
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
                           absl::Duration agent_idle_timeout, size_t max_idle)
    : Timer(loop.timers()),
      loop_(loop),
      connect_timeout_(connect_timeout),
      agent_idle_ms_(absl::ToInt64Milliseconds(agent_idle_timeout)),
      max_idle_(max_idle),
      open_semaphore_(loop, kMaxConcurrentOpens) {}

UpstreamPool::~UpstreamPool() = default;

UpstreamPtr UpstreamPool::Take(const AccessGrantPtr& access,
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
  if (count_ >= max_idle_) DropOldest();
  std::vector<UpstreamPtr>& pooled = idle_[KeyOf(upstream->access)];
  if (pooled.size() >= kMaxIdlePerGrant) {
    pooled.erase(pooled.begin());
    --count_;
  }
  // Sessions of an older context must not be resumed: a resumed handshake does
  // not verify the peer.
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
  pooled.push_back(std::move(upstream));
  ++count_;
  open_semaphore_.WakeOne(KeyOf(pooled.back()->access));
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

// Drops an eighth at once, so that the next call does not search again.
void UpstreamPool::DropOldest() {
  std::vector<int64_t> since;
  since.reserve(count_);
  for (const auto& [key, pooled] : idle_) {
    for (const UpstreamPtr& each : pooled) since.push_back(each->idle_since_ms);
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
    return upstream.idle_since_ms + agent_idle_ms_ < loop_.now_ms() ||
           !upstream.stream->IsQuiet();
  });
  if (count_ > 0) ArmTimer(kSweepMs);
}

void UpstreamPool::Clear() {
  DropIf([](Upstream&) { return true; });
}

void UpstreamPool::SetAgentContext(
    std::shared_ptr<const net::TlsContext> agents, bool issuer_changed) {
  agents_ = std::move(agents);
  sessions_.clear();
  if (issuer_changed) {
    DropIf([&](Upstream& upstream) { return !IsTrusted(upstream, *agents_); });
  }
}

void UpstreamPool::Recheck(const RouteTable& routes, absl::Time now) {
  DropIf([&](Upstream& upstream) {
    return !routes.Admits(*upstream.access, upstream.address, now);
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
    AccessGrantPtr access, net::Address address, bool fresh,
    const bool& cancelled) {
  const std::string& key = KeyOf(access);
  while (!open_semaphore_.TryAcquire(key)) {
    absl::Status waited = co_await open_semaphore_.Wait(key);
    if (!waited.ok()) co_return waited;
    UpstreamPtr idle = fresh || cancelled ? nullptr : Take(access, address);
    if (idle == nullptr && !cancelled) continue;
    open_semaphore_.WakeOne(key);
    if (idle == nullptr) co_return absl::CancelledError("request cancelled");
    co_return absl::StatusOr<UpstreamPtr>(std::move(idle));
  }
  absl::StatusOr<UpstreamPtr> opened =
      co_await Establish(access, address, cancelled);
  // The other waiters would not reach the agent either.
  const bool unreachable = absl::IsDeadlineExceeded(opened.status()) ||
                           absl::IsCancelled(opened.status());
  open_semaphore_.Release(key,
                          unreachable ? opened.status() : absl::OkStatus());
  co_return absl::StatusOr<UpstreamPtr>(std::move(opened));
}

net::Task<absl::StatusOr<UpstreamPtr>> UpstreamPool::Establish(
    AccessGrantPtr access, net::Address address, const bool& cancelled) {
  UpstreamPtr upstream;
  if (!IsReverse(address)) {
    auto connected = co_await Connect(access, address);
    if (!connected.ok()) co_return connected.status();
    upstream = *std::move(connected);
  } else {
    if (reverse_tunnels_ == nullptr) {
      co_return MakePlainError(proxy_upstream_messages::kTunnelsDisabled);
    }
    auto opened = co_await reverse_tunnels_->Open(access->host.job, cancelled);
    if (!opened.ok()) co_return opened.status();
    upstream.reset(
        new Upstream{*std::move(opened), access, address, "", false, 0});
    upstream->stream->ExpireAfter(connect_timeout_);
  }
  net::IoResult sent =
      co_await upstream->stream->Write(Preamble(access->signed_grant));
  if (sent.error != 0) co_return ErrnoError(sent.error, "send the grant");
  // The job CA may have changed during the handshake.
  net::TlsStream* tls = upstream->tls;
  if (tls != nullptr && tls->context() != agents_.get()) {
    absl::Status checked = tls->CheckAgain(*agents_);
    if (!checked.ok()) co_return checked;
  }
  co_return absl::StatusOr<UpstreamPtr>(std::move(upstream));
}

net::Task<absl::StatusOr<UpstreamPtr>> UpstreamPool::Connect(
    AccessGrantPtr access, net::Address address) {
  absl::StatusOr<UniqueFd> fd =
      co_await net::Connect(loop_, address, connect_timeout_);
  if (!fd.ok()) co_return fd.status();
  SetTcpKeepalive(fd->get(), tcp_keepalive_timeout_);
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
  absl::Status handshake = co_await (*stream)->Handshake();
  if (!handshake.ok()) co_return handshake;
  net::TlsStream* tls = stream->get();
  UpstreamPtr upstream(new Upstream{*std::move(stream), std::move(access),
                                    address, "", false, 0});
  upstream->tls = tls;
  co_return absl::StatusOr<UpstreamPtr>(std::move(upstream));
}

}  // namespace carme::proxy
