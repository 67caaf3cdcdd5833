#include "backend/history/utilization.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "backend/history/messages.h"
#include "backend/store/row_mapper.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
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
constexpr Step kSteps[] = {
    {absl::Minutes(5), absl::Hours(48), absl::Hours(24)},
    {absl::Hours(1), absl::Hours(24 * 62), absl::Hours(24 * 30)},
    {absl::Hours(24), absl::Hours(24 * 1830), absl::Hours(24 * 365)},
};

// A row of `cluster_use`.
struct StepSum {
  std::string gpu_type;
  int64_t at_unix_s = 0;
  int64_t seen_s = 0;
  int64_t used = 0;
  int64_t total = 0;
  int64_t down = 0;
};

const RowMapper<StepSum>& StepColumns() {
  static const auto* const columns = new RowMapper<StepSum>({
      {"gpu_type", &StepSum::gpu_type},
      {"at", &StepSum::at_unix_s},
      {"seen_s", &StepSum::seen_s},
      {"used", &StepSum::used},
      {"total", &StepSum::total},
      {"down", &StepSum::down},
  });
  return *columns;
}

absl::StatusOr<Step> StepOf(v1::UtilizationRange range) {
  switch (range) {
    case v1::UTILIZATION_RANGE_UNSPECIFIED:
    case v1::UTILIZATION_RANGE_DAY:
      return kSteps[0];
    case v1::UTILIZATION_RANGE_MONTH:
      return kSteps[1];
    case v1::UTILIZATION_RANGE_YEAR:
      return kSteps[2];
    default:
      return MakeError(history_messages::kUtilizationRangeInvalid);
  }
}

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

absl::Status DeleteOld(Database& db, const Step& step, absl::Time now) {
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
        for (const Step& step : kSteps)
          RETURN_IF_ERROR(DeleteOld(db, step, now));
        return absl::OkStatus();
      });
  if (!written.ok()) {
    LogError("writing cluster utilization failed",
             {{"error", StatusText(written)}});
  }
}

absl::StatusOr<UtilizationHistory> UtilizationRecorder::Read(
    v1::UtilizationRange range) const {
  ASSIGN_OR_RETURN(const Step step, StepOf(range));
  const absl::Time now = clock_.Now();
  UtilizationHistory history{
      .from = now - step.shown, .to = now, .step = step.length};
  RETURN_IF_ERROR(reading_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        db.Prepare(absl::StrCat("SELECT ", StepColumns().list(),
                                " FROM cluster_use WHERE step_s = ? AND "
                                "at >= ? AND at <= ? AND seen_s > 0 "
                                "ORDER BY gpu_type, at")));
    rows.Bind(1, absl::ToInt64Seconds(step.length))
        .Bind(2, BeginOf(history.from, step))
        .Bind(3, absl::ToUnixSeconds(now));
    while (true) {
      ASSIGN_OR_RETURN(const bool more, rows.Step());
      if (!more) return absl::OkStatus();
      ASSIGN_OR_RETURN(const StepSum sum, StepColumns().Read(rows));
      const auto seen = static_cast<double>(sum.seen_s);
      history.series[sum.gpu_type].push_back(
          {.at = absl::FromUnixSeconds(sum.at_unix_s),
           .used = static_cast<double>(sum.used) / seen,
           .total = static_cast<double>(sum.total) / seen,
           .down = static_cast<double>(sum.down) / seen});
    }
  }));
  return history;
}

}  // namespace carme::backend
