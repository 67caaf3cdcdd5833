// Aggregates the activity of jobs for the backend.
//
// Each loop counts by itself and adds its deltas every other second. A thread
// reports the changed rows.
#ifndef CARME_PROXY_TELEMETRY_ACTIVITY_AGGREGATOR_H_
#define CARME_PROXY_TELEMETRY_ACTIVITY_AGGREGATOR_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace carme::proxy {

// Monotonic clock.
int64_t SteadyMs();

// The changes in one loop since its last delta.
struct ActivityDelta {
  int opened = 0;  // open websockets and requests; may be negative
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// The totals of a job.
struct ActivityRow {
  JobId job;
  int open = 0;
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// Thread-safe. Bounded by the number of jobs, because ended jobs are removed.
class ActivityAggregator {
 public:
  void Add(const JobId& job, const ActivityDelta& delta);
  // The job has ended.
  void Remove(const JobId& job);
  // Returns the rows that changed since the last call; with `all_open` also
  // unchanged rows with open connections. Removes rows without change for a
  // day.
  std::vector<ActivityRow> Drain(bool all_open);
  // Returns rows that could not be reported.
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
