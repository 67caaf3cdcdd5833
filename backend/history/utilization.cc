#include "backend/history/utilization.h"

#include <algorithm>
#include <iterator>

#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxTypes = 32;
constexpr absl::Duration kLongestGap = absl::Minutes(2);

struct Step {
  absl::Duration length;
  absl::Duration kept;
  absl::Duration shown;
};
// In the order of UtilizationRange.
constexpr Step kSteps[] = {
    {absl::Minutes(5), absl::Hours(48), absl::Hours(24)},
    {absl::Hours(1), absl::Hours(24 * 62), absl::Hours(24 * 30)},
    {absl::Hours(24), absl::Hours(24 * 1830), absl::Hours(24 * 365)},
};

int64_t BeginOf(absl::Time time, const Step& step) {
  const int64_t length = absl::ToInt64Seconds(step.length);
  const int64_t at = absl::ToUnixSeconds(time);
  return at - at % length;
}

absl::Status Add(Database& db, const Step& step, absl::Time now,
                 int64_t seconds, const std::string& type,
                 const UtilizationSample& sample) {
  ASSIGN_OR_RETURN(
      Statement add,
      db.Prepare("INSERT INTO cluster_use (step_s, gpu_type, at, seen_s, used, "
                 "total, down) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
                 "ON CONFLICT DO UPDATE SET seen_s = seen_s + ?4, "
                 "used = used + ?5, total = total + ?6, down = down + ?7"));
  return add.Bind(1, absl::ToInt64Seconds(step.length))
      .Bind(2, type)
      .Bind(3, BeginOf(now, step))
      .Bind(4, seconds)
      .Bind(5, seconds * sample.used)
      .Bind(6, seconds * sample.total)
      .Bind(7, seconds * sample.down)
      .Run();
}

// Limits the number of GPU types with rows, because types change over the
// years.
absl::StatusOr<bool> HasRoom(Database& db, const std::string& type) {
  const int64_t longest = absl::ToInt64Seconds(std::rbegin(kSteps)->length);
  ASSIGN_OR_RETURN(Statement known,
                   db.Prepare("SELECT 1 FROM cluster_use WHERE step_s = ? AND "
                              "gpu_type = ? LIMIT 1"));
  ASSIGN_OR_RETURN(const bool is_known,
                   known.Bind(1, longest).Bind(2, type).Step());
  if (is_known) return true;
  ASSIGN_OR_RETURN(Statement count,
                   db.Prepare("SELECT count(DISTINCT gpu_type) FROM "
                              "cluster_use WHERE step_s = ?"));
  RETURN_IF_ERROR(count.Bind(1, longest).Step().status());
  return count.Int(0) <= static_cast<int64_t>(kMaxTypes);  // the CPUs count too
}

absl::Status Forget(Database& db, const Step& step, absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement remove,
      db.Prepare("DELETE FROM cluster_use WHERE step_s = ? AND at < ?"));
  return remove.Bind(1, absl::ToInt64Seconds(step.length))
      .Bind(2, absl::ToUnixSeconds(now - step.kept))
      .Run();
}

}  // namespace

std::map<std::string, UtilizationSample> SampleOf(
    const SlurmSnapshot& cluster) {
  std::map<std::string, UtilizationSample> samples;
  for (const SlurmNode& node : cluster.nodes) {
    UtilizationSample& cpus = samples[""];
    (node.up ? cpus.total : cpus.down) += node.cpus;
    if (node.up) cpus.used += std::min(node.cpus, node.cpus_used);
    for (const auto& [type, count] : node.gpus) {
      UtilizationSample& gpus = samples[type];
      (node.up ? gpus.total : gpus.down) += count;
      const auto used = node.gpus_used.find(type);
      if (node.up && used != node.gpus_used.end()) {
        gpus.used += std::min(count, used->second);
      }
    }
  }
  while (samples.size() > kMaxTypes + 1)
    samples.erase(std::prev(samples.end()));
  return samples;
}

void UtilizationRecorder::RecordSample() {
  const absl::Time now = clock_.Now();
  const absl::Duration gap = now - last_;
  const SlurmSnapshotPtr cluster = scheduler_.Snapshot();
  if (!cluster->reachable) {
    last_ = absl::InfinitePast();
    return;
  }
  if (gap < absl::Seconds(1)) return;
  const bool is_first = last_ == absl::InfinitePast();
  last_ = now;
  // The time before the first sample is unknown, and so is the time before a
  // sample after a long sleep or a jump of the clock.
  if (is_first || gap > kLongestGap) return;
  const int64_t seconds = absl::ToInt64Seconds(gap + absl::Milliseconds(500));
  const absl::Status written =
      database_.Transact([&](Database& db) -> absl::Status {
        for (const auto& [type, sample] : SampleOf(*cluster)) {
          ASSIGN_OR_RETURN(const bool has_room, HasRoom(db, type));
          if (!has_room) continue;
          for (const Step& step : kSteps) {
            RETURN_IF_ERROR(Add(db, step, now, seconds, type, sample));
          }
        }
        for (const Step& step : kSteps) RETURN_IF_ERROR(Forget(db, step, now));
        return absl::OkStatus();
      });
  if (!written.ok()) {
    LogError("writing cluster utilization failed",
             {{"error", written.ToString()}});
  }
}

absl::StatusOr<UtilizationHistory> UtilizationRecorder::Read(
    UtilizationRange range) const {
  const auto index = static_cast<size_t>(range);
  if (index >= std::size(kSteps)) {
    return absl::InvalidArgumentError("range: unknown value");
  }
  const Step& step = kSteps[index];
  const absl::Time now = clock_.Now();
  UtilizationHistory history{
      .from = now - step.shown, .to = now, .step = step.length};
  RETURN_IF_ERROR(reading_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        db.Prepare("SELECT gpu_type, at, seen_s, used, total, down "
                   "FROM cluster_use WHERE step_s = ? AND at >= ? AND "
                   "at <= ? AND seen_s > 0 ORDER BY gpu_type, at"));
    rows.Bind(1, absl::ToInt64Seconds(step.length))
        .Bind(2, BeginOf(history.from, step))
        .Bind(3, absl::ToUnixSeconds(now));
    while (true) {
      ASSIGN_OR_RETURN(const bool more, rows.Step());
      if (!more) return absl::OkStatus();
      const auto seen = static_cast<double>(rows.Int(2));
      history.series[rows.Text(0)].push_back(
          {.at = absl::FromUnixSeconds(rows.Int(1)),
           .used = static_cast<double>(rows.Int(3)) / seen,
           .total = static_cast<double>(rows.Int(4)) / seen,
           .down = static_cast<double>(rows.Int(5)) / seen});
    }
  }));
  return history;
}

}  // namespace carme::backend
