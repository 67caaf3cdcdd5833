// Reports to the backend for how long the GPUs of jobs have been idle.
#ifndef CARME_BACKEND_METRICS_GPU_IDLE_GPU_IDLE_WATCH_H_
#define CARME_BACKEND_METRICS_GPU_IDLE_GPU_IDLE_WATCH_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/metrics/gpu_idle/idle_gpu_tracker.h"
#include "backend/metrics/query/database_reader.h"
#include "carme/v1/gpu_use.pb.h"
#include "common/clock.h"

namespace carme::metrics {

// The backend's GpuUseService. Functions block; UNAVAILABLE: not connected.
class GpuUseBackend {
 public:
  virtual ~GpuUseBackend() = default;
  virtual absl::StatusOr<v1::ListJudgedJobsResponse> ListJudgedJobs() = 0;
  virtual absl::Status ReportGpuUse(const v1::ReportGpuUseRequest& request) = 0;
};

// Not thread-safe. Without the backend or the database nothing is reported;
// what the database has of this time is read afterwards.
class GpuIdleWatch {
 public:
  // The backend forgets a job without a report after five minutes.
  static constexpr absl::Duration kInterval = absl::Seconds(30);

  struct Parts {
    DatabaseReader* reader;
    GpuUseBackend* backend;
    const Clock* clock;
  };
  // Pointers must outlive the object.
  explicit GpuIdleWatch(const Parts& parts) : parts_(parts) {}

  // Measures the jobs that the backend names. Call it every kInterval; blocks
  // for a query for each job.
  void Step();

 private:
  struct Watched {
    int32_t threshold_percent;
    IdleGpuTracker tracker;
  };
  // Deletes jobs that are not in `jobs` with the same threshold.
  void KeepOnly(const v1::ListJudgedJobsResponse& jobs);
  // The errors of the reader.
  absl::Status Measure(const v1::JudgedJob& job, Watched* watched);
  void Report(v1::ReportGpuUseRequest* request);

  const Parts parts_;
  std::map<std::string, Watched> watched_;
  bool failure_logged_ = false;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_GPU_IDLE_GPU_IDLE_WATCH_H_
