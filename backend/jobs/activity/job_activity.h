// Adds up the reports of proxies about the use of a job, and the input that its
// agent reports, for display. Pure functions.
// There may be several proxies during a restart. Each reports its totals since
// its start, so a lost or repeated report changes nothing.
#ifndef CARME_BACKEND_JOBS_ACTIVITY_JOB_ACTIVITY_H_
#define CARME_BACKEND_JOBS_ACTIVITY_JOB_ACTIVITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

// The report of one proxy about one job.
struct ProxyActivity {
  int connections = 0;
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// The state of a job. Bounded: the last kMaxProxies one by one, the bytes of
// older ones as a sum.
struct ActivityState {
  static constexpr size_t kMaxProxies = 8;
  // A proxy without a report for this time has gone: they report every minute.
  static constexpr absl::Duration kSilent = absl::Seconds(150);
  // The minimum time between visible changes, except of the connections.
  static constexpr absl::Duration kShown = absl::Minutes(1);

  struct Proxy {
    std::string instance;
    ProxyActivity saw{};
    absl::Time reported_at{};
  };
  std::vector<Proxy> proxies{};  // the latest report is last
  uint64_t past_received_bytes = 0;
  uint64_t past_sent_bytes = 0;
  std::optional<absl::Time> last_input{};
  absl::Time shown_at = absl::InfinitePast();
};

void ApplyProxyActivity(const std::string& instance, const ProxyActivity& saw,
                        absl::Time now, ActivityState* state);
// The agent reports a person's last input, `input` ago.
void ApplyInput(absl::Duration input, absl::Time now, ActivityState* state);

// The value to show in place of `shown`.
std::optional<JobInUse> ShowActivity(const std::optional<JobInUse>& shown,
                                     absl::Time now, ActivityState* state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_ACTIVITY_JOB_ACTIVITY_H_
