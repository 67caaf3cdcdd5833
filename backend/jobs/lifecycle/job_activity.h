// What proxies say of the use of a job, added up. Functions over values.
//
// There may be several: an old one that still serves while a new one has taken
// over. Each says all it has counted since it began, so that a report that is
// lost, or comes twice, changes nothing.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_JOB_ACTIVITY_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_JOB_ACTIVITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

// One proxy's word about one job.
struct ProxyActivity {
  int connections = 0;
  std::optional<absl::Duration> input{};  // a person's last, before now
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// What is kept of a job. Bounded: of the last kMaxProxies one by one, of older
// ones their bytes.
struct ActivityState {
  static constexpr size_t kMaxProxies = 8;
  // A proxy that says nothing for so long has gone: they speak every minute.
  static constexpr absl::Duration kSilent = absl::Seconds(150);
  // What is shown changes so often at most, unless the connections do.
  static constexpr absl::Duration kShown = absl::Minutes(1);

  struct Proxy {
    std::string instance;
    ProxyActivity saw{};
    absl::Time said_at{};
  };
  std::vector<Proxy> proxies{};  // the last that spoke is the last
  uint64_t past_received_bytes = 0;
  uint64_t past_sent_bytes = 0;
  std::optional<absl::Time> last_input{};
  absl::Time shown_at = absl::InfinitePast();
};

// True: a person has used the job since what was known before.
bool ApplyProxyActivity(const std::string& instance, const ProxyActivity& saw,
                  absl::Time now, ActivityState* state);

// What is to be shown now in the place of `shown`.
std::optional<JobInUse> ShowActivity(const std::optional<JobInUse>& shown,
                                     absl::Time now, ActivityState* state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_JOB_ACTIVITY_H_
