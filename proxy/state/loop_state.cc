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
      cookie_sealer_(cookie_key) {
  pool_.SetReverseTunnels(&reverse_tunnels_);
  pool_.SetTcpKeepaliveTimeout(shared.limits.tcp_keepalive_timeout);
  if (access_log != nullptr) {
    loop_->OnTurnEnd([this] { log_flush_timer_.EndTurn(); });
  }
}

bool LoopState::ApplyRoutes(const RouteUpdate& update, absl::Time now) {
  const bool revoked = routes_.Apply(update, now);
  job_statuses_.Apply(update);
  counters_.routes.Set(routes_.size());
  counters_.stale_routes.Set(routes_.stale());
  return revoked;
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
