#include "backend/jobs/activity/job_activity.h"

#include <algorithm>

namespace carme::backend {
namespace {

// The same input is reported repeatedly, in whole seconds.
constexpr absl::Duration kSameInput = absl::Seconds(5);

void DropFirst(ActivityState* state) {
  const ProxyActivity& saw = state->proxies.front().saw;
  state->past_received_bytes += saw.received_bytes;
  state->past_sent_bytes += saw.sent_bytes;
  state->proxies.erase(state->proxies.begin());
}

}  // namespace

void ApplyProxyActivity(const std::string& instance, const ProxyActivity& saw,
                        absl::Time now, ActivityState* state) {
  std::vector<ActivityState::Proxy>& proxies = state->proxies;
  const auto found = std::find_if(
      proxies.begin(), proxies.end(),
      [&](const auto& proxy) { return proxy.instance == instance; });
  ProxyActivity kept = saw;
  if (found != proxies.end()) {
    // Reports may arrive out of order.
    kept.received_bytes =
        std::max(kept.received_bytes, found->saw.received_bytes);
    kept.sent_bytes = std::max(kept.sent_bytes, found->saw.sent_bytes);
    proxies.erase(found);
  }
  proxies.push_back({instance, kept, now});
  if (proxies.size() > ActivityState::kMaxProxies) DropFirst(state);
}

void ApplyInput(absl::Duration input, absl::Time now, ActivityState* state) {
  // The clock was ahead before.
  if (state->last_input) state->last_input = std::min(*state->last_input, now);
  const absl::Time at = now - input;
  if (state->last_input && at <= *state->last_input + kSameInput) return;
  state->last_input = at;
}

std::optional<JobInUse> ShowActivity(const std::optional<JobInUse>& shown,
                                     absl::Time now, ActivityState* state) {
  if (state->proxies.empty()) return shown;
  JobInUse sum{.last_input = state->last_input,
               .received_bytes = state->past_received_bytes,
               .sent_bytes = state->past_sent_bytes};
  for (const ActivityState::Proxy& proxy : state->proxies) {
    sum.received_bytes += proxy.saw.received_bytes;
    sum.sent_bytes += proxy.saw.sent_bytes;
    if (now - proxy.reported_at > ActivityState::kSilent) continue;
    sum.connections += proxy.saw.connections;
  }
  const bool due = now - state->shown_at >= ActivityState::kShown;
  if (shown && shown->connections == sum.connections && !due) return shown;
  state->shown_at = now;
  return sum;
}

}  // namespace carme::backend
