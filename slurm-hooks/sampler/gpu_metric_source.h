// The GPUs of a job: utilisation, memory, power, activity of pipes, and the
// saturation score of each sample where its inputs exist.
#ifndef CARME_SLURM_HOOKS_SAMPLER_GPU_METRIC_SOURCE_H_
#define CARME_SLURM_HOOKS_SAMPLER_GPU_METRIC_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "slurm-hooks/gpu/deadline_source.h"
#include "slurm-hooks/gpu/gpu_set.h"
#include "slurm-hooks/sampler/metric_source.h"
#include "slurm-hooks/sampler/sampler.h"
#include "slurm-hooks/sampler/series_set.h"

namespace carme::sampler {

// The largest utilisation of the job's GPUs since the last call, for a policy
// about idle jobs. Thread-safe.
class GpuUtilizationPeak {
 public:
  void Add(double ratio);
  // nullopt: there was no sample.
  std::optional<double> Take();

 private:
  absl::Mutex mutex_;
  std::optional<double> peak_ ABSL_GUARDED_BY(mutex_);
};

// A driver that hangs blocks one call of Sample() for `sample_timeout`; then
// its source is dead and the driver is not called again.
class GpuMetricSource : public MetricSource {
 public:
  struct Options {
    gpu::GpuSourceFactory open = gpu::OpenGpuSource;
    gpu::Environment environment = gpu::ProcessEnvironment;  // of the job
    absl::Duration open_timeout = absl::Minutes(1);
    absl::Duration sample_timeout = absl::Seconds(1);
    std::shared_ptr<GpuUtilizationPeak> peak{};  // null: none
  };
  // Begins to open the driver, without waiting for it.
  explicit GpuMetricSource(Options options);

  void Sample(int64_t now_ms, SampleBuffer* buffer) override;

 private:
  enum class State { kOpening, kOpen, kEnded };
  struct Device {
    gpu::GpuDevice facts;
    std::string label;
    SeriesSet series;
    bool is_lost = false;
  };
  // Whether the source is open now.
  bool Opened(int64_t now_ms, SampleBuffer* buffer);
  void SampleDevice(int64_t now_ms, Device* device, SampleBuffer* buffer);

  const Options options_;
  State state_ = State::kOpening;
  int64_t first_ms_ = 0;
  std::unique_ptr<gpu::DeadlineSource> source_;
  uint32_t source_id_ = 0;
  std::vector<Device> devices_;
};

// The source of a job with this environment ("NAME=value" entries); none for a
// job without GPUs.
std::vector<TimedSource> GpuSources(
    const std::vector<std::string>& variables, absl::Duration interval,
    std::shared_ptr<GpuUtilizationPeak> peak = nullptr);

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_GPU_METRIC_SOURCE_H_
