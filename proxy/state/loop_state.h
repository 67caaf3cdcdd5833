// State of one event loop that its connections use: routes, upstream
// connections, counters, scratch buffers.
#ifndef CARME_PROXY_STATE_LOOP_STATE_H_
#define CARME_PROXY_STATE_LOOP_STATE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/http1/head.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "proxy/access/grant_cookie.h"
#include "proxy/control/job_status.h"
#include "proxy/control/route_table.h"
#include "proxy/local_reply/reply_reason.h"
#include "proxy/state/shared_state.h"
#include "proxy/telemetry/access_log.h"
#include "proxy/telemetry/activity_meter.h"
#include "proxy/telemetry/counters.h"
#include "proxy/telemetry/request_log.h"
#include "proxy/upstream/reverse_tunnels.h"
#include "proxy/upstream/upstream_pool.h"

namespace carme::proxy {

// Not thread-safe: used on the loop's thread only.
class LoopState {
 public:
  // `access_log` may be null: no log is written.
  LoopState(SharedState& shared, std::unique_ptr<net::EventLoop> loop,
            const std::string& cookie_key, const AccessLogFile* access_log);
  LoopState(const LoopState&) = delete;
  LoopState& operator=(const LoopState&) = delete;

  // Applies `update` to the routes and job statuses. Returns whether something
  // that was allowed before may no longer be.
  bool ApplyRoutes(const RouteUpdate& update, absl::Time now);
  // Call it after the loop has ended, on its thread: writes the log and closes
  // the upstream connections.
  void Shutdown();

  SharedState& shared() { return shared_; }
  net::EventLoop& loop() { return *loop_; }
  const RouteTable& routes() const { return routes_; }
  const JobStatusTable& job_statuses() const { return job_statuses_; }
  // What to reply for an app, as far as it is known without a request to it.
  ReplyDetails ReplyDetailsFor(const JobId& job, std::string_view app) const;
  ReverseTunnels& reverse_tunnels() { return reverse_tunnels_; }
  UpstreamPool& pool() { return pool_; }
  // As GrantCookieSealer. Cookies are sealed with the key of all proxies, or as
  // long as the backend has sent none, with this proxy's own; both open them.
  std::string SealCookie(std::string_view host_label,
                         std::string_view signed_grant);
  absl::StatusOr<std::string> OpenCookie(std::string_view host_label,
                                         std::string_view value);
  const HeadLimits& head_limits() const { return head_limits_; }
  Counters& counters() { return counters_; }
  RequestLog& request_log() { return request_log_; }
  ActivityMeter& activity() { return activity_; }
  // The value of Strict-Transport-Security; empty: the field is not sent.
  std::string_view hsts() const { return shared_.hsts; }

  bool draining() const { return draining_; }
  void StartDraining() { draining_ = true; }

  // Scratch: valid until the coroutine that uses it suspends.
  RequestHead& request() { return request_; }
  ResponseHead& response() { return response_; }
  std::string& out() { return out_; }

 private:
  SharedState& shared_;
  std::unique_ptr<net::EventLoop> loop_;
  const HeadLimits head_limits_;
  Counters counters_;
  AccessLog access_log_;
  LogFlushTimer log_flush_timer_;
  RequestLog request_log_;
  ActivityMeter activity_;
  RouteTable routes_;
  JobStatusTable job_statuses_;
  ReverseTunnels reverse_tunnels_;
  UpstreamPool pool_;
  GrantCookieSealer own_cookie_sealer_;
  std::unique_ptr<GrantCookieSealer> cookie_sealer_;  // null: no key yet
  std::string cookie_key_;                            // of cookie_sealer_
  bool draining_ = false;
  RequestHead request_;
  ResponseHead response_;
  std::string out_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_STATE_LOOP_STATE_H_
