#include "proxy/telemetry/activity_aggregator.h"

#include <algorithm>
#include <chrono>

namespace carme::proxy {
namespace {

constexpr int64_t kMaxUnchangedMs = int64_t{24} * 3600 * 1000;

}  // namespace

int64_t SteadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void ActivityAggregator::Add(const JobId& job, const ActivityDelta& delta) {
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[job.value()];
  ActivityRow& row = entry.row;
  row.job = job;
  // A connection may end after its job was removed here.
  row.open = std::max(0, row.open + delta.opened);
  row.received_bytes += delta.received_bytes;
  row.sent_bytes += delta.sent_bytes;
  entry.changed = true;
  entry.changed_ms = SteadyMs();
}

void ActivityAggregator::Remove(const JobId& job) {
  std::lock_guard lock(mutex_);
  entries_.erase(job.value());
}

std::vector<ActivityRow> ActivityAggregator::Drain(bool all_open) {
  const int64_t oldest = SteadyMs() - kMaxUnchangedMs;
  std::vector<ActivityRow> rows;
  std::lock_guard lock(mutex_);
  absl::erase_if(entries_, [&](auto& each) {
    Entry& entry = each.second;
    const bool open = entry.row.open > 0;
    if (entry.changed || (all_open && open)) rows.push_back(entry.row);
    entry.changed = false;
    return !open && entry.changed_ms < oldest;
  });
  return rows;
}

void ActivityAggregator::Restore(const std::vector<ActivityRow>& rows) {
  std::lock_guard lock(mutex_);
  for (const ActivityRow& row : rows) {
    const auto found = entries_.find(row.job.value());
    if (found != entries_.end()) found->second.changed = true;
  }
}

}  // namespace carme::proxy
