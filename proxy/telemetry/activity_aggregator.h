// How jobs are used, as the proxy sees it: for the backend.
//
// Each loop counts by itself and adds what is new every other second; a thread
// takes what has changed and reports it.
#ifndef CARME_PROXY_TELEMETRY_ACTIVITY_AGGREGATOR_H_
#define CARME_PROXY_TELEMETRY_ACTIVITY_AGGREGATOR_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace carme::proxy {

// By a clock that no one sets.
int64_t SteadyMs();

// What is new in one loop.
struct ActivityDelta {
  int opened = 0;  // more websockets and requests under way, or fewer
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
  std::optional<int64_t> input_ms{};  // a person's last, as SteadyMs
};

// All that was counted of a job.
struct ActivityRow {
  JobId job;
  int open = 0;
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
  std::optional<int64_t> input_ms{};
};

// Thread-safe. Bounded by the jobs there are: those that have ended go.
class ActivityAggregator {
 public:
  void Add(const JobId& job, const ActivityDelta& delta);
  // Its route has gone.
  void Remove(const JobId& job);
  // What has changed since it was taken last; with `all_open` also what is open
  // and has not. Forgets what rests for a day.
  std::vector<ActivityRow> Drain(bool all_open);
  // They were not reported, after all.
  void Restore(const std::vector<ActivityRow>& rows);

 private:
  struct Entry {
    ActivityRow row;
    bool changed = true;
    int64_t changed_ms = 0;
  };
  std::mutex mutex_;
  absl::flat_hash_map<std::string, Entry> entries_;  // guarded by mutex_
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_ACTIVITY_AGGREGATOR_H_
