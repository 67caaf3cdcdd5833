#include "backend/metrics/gpu_idle/gpu_idle_watch.h"

#include <algorithm>
#include <set>

#include "common/log.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr char kUtilization[] = "carme_gpu_utilization_ratio";
// Of a job that is measured for the first time, since carme-metrics may have
// been restarted.
constexpr int64_t kMaxPoints = 200'000;
// gpu_use.proto; a job with more GPUs is not reported.
constexpr int kMaxJobs = 1000;
constexpr int kMaxGpus = 2500;

constexpr int64_t kWindow_s = IdleGpuTracker::kWindow_s;

using Points = std::map<int64_t, std::map<NodeAndGpu, double>>;  // by ms

Points PointsOf(const std::vector<MatrixSeries>& rows, const TimeGrid& grid) {
  Points points;
  // A time without any sample is a point, too.
  for (int64_t at_ms = grid.from_ms; at_ms <= grid.to_ms;
       at_ms += grid.step_s * 1000) {
    points[at_ms];
  }
  for (const MatrixSeries& row : rows) {
    const auto node = row.labels.find("node");
    const auto gpu = row.labels.find("gpu");
    if (node == row.labels.end() || gpu == row.labels.end()) continue;
    for (const auto& [at_ms, value] : row.points) {
      points[at_ms][{node->second, gpu->second}] = value;
    }
  }
  return points;
}

// Whole seconds, so that the database returns the times of the grid.
absl::Time NowOf(const Clock& clock) {
  return absl::FromUnixSeconds(absl::ToUnixSeconds(clock.Now()));
}

void AddUse(const std::string& job, int32_t threshold_percent,
            const IdleGpuTracker& tracker, v1::ReportGpuUseRequest* request) {
  v1::JobGpuUse* use = request->add_jobs();
  use->set_job_id(job);
  use->set_threshold_percent(threshold_percent);
  for (const auto& [key, idle_for] : tracker.IdleFor()) {
    v1::GpuUse* gpu = use->add_gpus();
    gpu->mutable_gpu()->set_node(key.first);
    gpu->mutable_gpu()->set_gpu(key.second);
    gpu->mutable_idle_for()->set_seconds(absl::ToInt64Seconds(idle_for));
  }
}

}  // namespace

void GpuIdleWatch::Step() {
  const absl::StatusOr<v1::ListJudgedJobsResponse> jobs =
      parts_.backend->ListJudgedJobs();
  if (!jobs.ok()) {
    if (!std::exchange(failure_logged_, true)) {
      LogWarning("idle GPUs are not judged: the backend cannot be asked",
                 {{"error", StatusText(jobs.status())}});
    }
    return;
  }
  failure_logged_ = false;
  KeepOnly(*jobs);
  v1::ReportGpuUseRequest request;
  int gpus = 0;
  for (const v1::JudgedJob& job : jobs->jobs()) {
    const auto found = watched_.try_emplace(
        job.job_id(), Watched{job.threshold_percent(),
                              IdleGpuTracker(job.threshold_percent() / 100.0)});
    Watched& watched = found.first->second;
    const absl::Status status = Measure(job, &watched);
    if (!status.ok()) {
      LogWarning("GPUs not measured",
                 {{"job", job.job_id()}, {"error", StatusText(status)}});
      if (absl::IsUnavailable(status)) break;
      continue;
    }
    const auto size = static_cast<int>(watched.tracker.IdleFor().size());
    if (size > kMaxGpus) continue;
    if (request.jobs_size() == kMaxJobs || gpus + size > kMaxGpus) {
      Report(&request);
      gpus = 0;
    }
    AddUse(job.job_id(), watched.threshold_percent, watched.tracker, &request);
    gpus += size;
  }
  if (request.jobs_size() > 0) Report(&request);
}

void GpuIdleWatch::KeepOnly(const v1::ListJudgedJobsResponse& jobs) {
  std::set<std::pair<std::string, int32_t>> judged;
  for (const v1::JudgedJob& job : jobs.jobs()) {
    judged.emplace(job.job_id(), job.threshold_percent());
  }
  std::erase_if(watched_, [&](const auto& row) {
    return !judged.contains({row.first, row.second.threshold_percent});
  });
}

absl::Status GpuIdleWatch::Measure(const v1::JudgedJob& job, Watched* watched) {
  const absl::Time now = NowOf(*parts_.clock);
  IdleGpuTracker& tracker = watched->tracker;
  int64_t points = 1;
  if (now - tracker.applied_until() > IdleGpuTracker::kWindow) {
    const int64_t affordable = kMaxPoints / std::max<int64_t>(job.gpus(), 1);
    points = std::clamp<int64_t>(job.window().seconds() / kWindow_s + 2, 1,
                                 std::max<int64_t>(affordable, 2));
  }
  const int64_t now_ms = absl::ToUnixMillis(now);
  // A step of more than a minute: VictoriaMetrics changes the newest points of
  // queries with smaller ones.
  const TimeGrid grid{.from_ms = now_ms - (points - 1) * kWindow_s * 1000,
                      .to_ms = now_ms,
                      .step_s = kWindow_s};
  const absl::StatusOr<std::vector<MatrixSeries>> rows =
      parts_.reader->ReadLargestOfGpus(job.job_id(), kUtilization, grid,
                                       kWindow_s);
  if (!rows.ok()) {
    // The answer may have been too large: the next query is for one point.
    if (!absl::IsUnavailable(rows.status())) tracker.Apply(now, {});
    return rows.status();
  }
  for (const auto& [at_ms, largest] : PointsOf(*rows, grid)) {
    tracker.Apply(absl::FromUnixMillis(at_ms), largest);
  }
  return absl::OkStatus();
}

void GpuIdleWatch::Report(v1::ReportGpuUseRequest* request) {
  const absl::Status status = parts_.backend->ReportGpuUse(*request);
  request->Clear();
  if (status.ok()) return;
  LogWarning("idle GPUs not reported", {{"error", StatusText(status)}});
}

}  // namespace carme::metrics
