#include "proxy/state/loop_state.h"

#include <utility>

namespace carme::proxy {
namespace {

HeadLimits MakeHeadLimits(const ProxyLimits& limits) {
  HeadLimits head;
  head.max_bytes = static_cast<size_t>(limits.max_head_bytes);
  head.max_fields = static_cast<size_t>(limits.max_header_fields);
  return head;
}

}  // namespace

LoopState::LoopState(SharedState& shared, std::unique_ptr<net::EventLoop> loop,
                     const std::string& cookie_key,
                     const AccessLogFile* access_log)
    : shared_(shared),
      loop_(std::move(loop)),
      head_limits_(MakeHeadLimits(shared.limits)),
      access_log_(access_log, &counters_),
      log_flush_timer_(*loop_, access_log_),
      request_log_(access_log_, counters_),
      activity_(*loop_, shared.activity),
      routes_(shared.limits.stale_route_ttl),
      reverse_tunnels_(*loop_, routes_, shared.limits, shared.tunnels,
                       counters_),
      pool_(*loop_, shared.limits.connect_timeout,
            shared.limits.agent_idle_timeout),
      own_cookie_sealer_(cookie_key) {
  pool_.SetReverseTunnels(&reverse_tunnels_);
  pool_.SetTcpKeepaliveTimeout(shared.limits.tcp_keepalive_timeout);
  if (access_log != nullptr) {
    loop_->OnTurnEnd([this] { log_flush_timer_.EndTurn(); });
  }
}

bool LoopState::ApplyRoutes(const RouteUpdate& update, absl::Time now) {
  const bool revoked = routes_.Apply(update, now);
  job_statuses_.Apply(update);
  if (update.trust != nullptr && update.trust->cookie_key != cookie_key_) {
    cookie_key_ = update.trust->cookie_key;
    cookie_sealer_ = cookie_key_.empty()
                         ? nullptr
                         : std::make_unique<GrantCookieSealer>(cookie_key_);
  }
  counters_.routes.Set(routes_.size());
  counters_.stale_routes.Set(routes_.stale());
  return revoked;
}

std::string LoopState::SealCookie(std::string_view host_label,
                                  std::string_view signed_grant) {
  GrantCookieSealer& sealer =
      cookie_sealer_ == nullptr ? own_cookie_sealer_ : *cookie_sealer_;
  return sealer.Seal(host_label, signed_grant);
}

absl::StatusOr<std::string> LoopState::OpenCookie(std::string_view host_label,
                                                  std::string_view value) {
  if (cookie_sealer_ != nullptr) {
    absl::StatusOr<std::string> grant = cookie_sealer_->Open(host_label, value);
    if (grant.ok()) return grant;
  }
  // Sealed before this proxy had the key of all proxies.
  return own_cookie_sealer_.Open(host_label, value);
}

void LoopState::Shutdown() {
  access_log_.Flush();
  pool_.Clear();
  reverse_tunnels_.Clear();
}

ReplyDetails LoopState::ReplyDetailsFor(const JobId& job,
                                        std::string_view app) const {
  UpstreamFailure failure = UpstreamFailure::kNone;
  if (routes_.Find(job) == nullptr) {
    // Before the first snapshot of the backend, any job may exist.
    failure = routes_.complete() ? UpstreamFailure::kNoRoute
                                 : UpstreamFailure::kRoutesUnknown;
  }
  return proxy::ReplyDetailsFor(failure, job_statuses_.Find(job), app);
}

}  // namespace carme::proxy
