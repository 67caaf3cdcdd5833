// The use of a job's GPUs, as carme-metrics measures it. Pure.
#ifndef CARME_BACKEND_JOBS_ACTIVITY_GPU_USE_H_
#define CARME_BACKEND_JOBS_ACTIVITY_GPU_USE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

// The GPUs of a job of which there are samples, as carme-metrics measured them.
struct MeasuredGpus {
  int threshold_percent = 0;
  // For how long each GPU has been idle, without a gap; 0: it is used.
  std::map<JobGpu, absl::Duration> idle_for{};
};

// The idle GPUs of a job or of a node.
struct IdleGpus {
  absl::Duration idle{};  // of all of them
  std::vector<JobGpu> gpus{};
};

// How many GPUs a running job has.
int64_t CountGpus(const Job& job);

// All GPUs of the job at `now`; nullopt: not known, because one of them is
// missing.
std::optional<IdleGpus> IdleGpusOf(const Job& job, const MeasuredGpus& measured,
                                   absl::Time now);

// The idle GPUs of each node of the job at `now`. The idle time is zero where a
// GPU is used or missing.
std::map<std::string, IdleGpus> IdleGpusByNode(const Job& job,
                                               const MeasuredGpus& measured,
                                               absl::Time now);

// Whether the job is a running job with GPUs that it could use: not the build
// of an image, and not copying files or being vetted.
bool IsJudgedByGpus(const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_ACTIVITY_GPU_USE_H_
