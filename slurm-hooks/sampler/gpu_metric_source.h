// The GPUs of a job: utilisation, memory, power, activity of pipes, and the
// saturation score of each sample where its inputs exist.
//
// The driver's own library is the first source. A second one may add values
// that the first does not have. A series has one source, the one that had its
// first value, and a score has inputs of one source only.
//
// carme_gpu_rank_info names the ranks whose processes compute on a GPU.
#ifndef CARME_SLURM_HOOKS_SAMPLER_GPU_METRIC_SOURCE_H_
#define CARME_SLURM_HOOKS_SAMPLER_GPU_METRIC_SOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "slurm-hooks/gpu/deadline_source.h"
#include "slurm-hooks/gpu/gpu_set.h"
#include "slurm-hooks/sampler/metric_source.h"
#include "slurm-hooks/sampler/process_ranks.h"
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

// A source that opens on its own thread. Until then, and after it has ended,
// rounds go on without it.
class OpeningGpuSource {
 public:
  // `name`: of the source in events while it is not open. `sample_timeout`: of
  // one call of Sample().
  OpeningGpuSource(std::string name, gpu::GpuSourceFactory open,
                   absl::Duration open_timeout, absl::Duration sample_timeout);

  // Whether it is open. Ends a source that was not opened in time.
  bool IsOpen(int64_t now_ms, SampleBuffer* buffer);
  // Its devices; while it is open.
  std::vector<gpu::GpuDevice> Devices() const { return source_->Devices(); }
  gpu::GpuSourceInfo Info() const { return source_->Info(); }
  // Adds it to the sources of the series. Returns its id there.
  uint32_t Register(SampleBuffer* buffer);
  // After a call that took too long it has ended.
  absl::StatusOr<gpu::GpuSample> Sample(int index, int64_t now_ms,
                                        SampleBuffer* buffer);
  // Closes it. `is_dead`: it stopped answering. Blocks for at most
  // `sample_timeout`.
  void End(bool is_dead, int64_t now_ms, SampleBuffer* buffer);

 private:
  enum class State { kOpening, kOpen, kEnded };

  const std::string name_;
  const absl::Duration open_timeout_;
  State state_ = State::kOpening;
  int64_t first_ms_ = 0;
  std::optional<uint32_t> id_;
  std::unique_ptr<gpu::DeadlineSource> source_;  // null: it has ended
};

enum class SeriesOwner { kNone, kFirst, kSecond };

// A driver that hangs blocks one call of Sample() for `sample_timeout`; then
// its source is dead and the driver is not called again.
class GpuMetricSource : public MetricSource {
 public:
  // Opens a source of the GPUs with these UUIDs.
  using OpenForGpus =
      std::function<absl::StatusOr<std::unique_ptr<gpu::GpuSource>>(
          const std::vector<std::string>& uuids)>;
  struct Options {
    gpu::GpuSourceFactory open = gpu::OpenGpuSource;
    // The second source, for GPUs of whose activity the first has no values.
    // Null: none.
    OpenForGpus open_second{};
    std::string second_name{};
    gpu::Environment environment = gpu::ProcessEnvironment;  // of the job
    absl::Duration open_timeout = absl::Minutes(1);
    absl::Duration sample_timeout = absl::Seconds(1);
    std::shared_ptr<GpuUtilizationPeak> peak{};  // null: none
  };
  // Begins to open the driver, without waiting for it.
  explicit GpuMetricSource(Options options);

  void Sample(int64_t now_ms, SampleBuffer* buffer) override;
  void UseRanks(std::shared_ptr<const ProcessRanks> ranks) override {
    ranks_ = std::move(ranks);
  }

 private:
  struct Device {
    gpu::GpuDevice facts;
    std::string label;
    Labels labels;
    SeriesSet series;
    bool is_lost = false;
    // What the second source has; nullopt: nothing.
    std::optional<int> second_index{};
    std::optional<SeriesSet> second_series{};
    std::vector<SeriesOwner> owners{};  // by place in both sets of series
    // By step and rank: those with a process on the GPU.
    std::map<std::pair<std::string, std::string>, SeriesSet> ranks{};
  };
  void OpenDevices(int64_t now_ms, SampleBuffer* buffer);
  void AddSecondSeries(SampleBuffer* buffer);
  void SampleFirst(int64_t now_ms, Device* device, SampleBuffer* buffer);
  void AddRanks(const std::vector<int64_t>& pids, int64_t now_ms,
                Device* device, SampleBuffer* buffer);
  void SampleSecond(int64_t now_ms, Device* device, SampleBuffer* buffer);

  const Options options_;
  OpeningGpuSource first_;
  uint32_t first_id_ = 0;
  std::shared_ptr<const ProcessRanks> ranks_;  // null: not known
  std::unique_ptr<OpeningGpuSource> second_;   // null: none
  bool has_second_series_ = false;
  std::vector<Device> devices_;  // of the job; empty until the first is open
};

// The source of a job with this environment ("NAME=value" entries); none for a
// job without GPUs. `dcgm_host_engine`: address of DCGM's host engine, which is
// the second source; empty: none.
std::vector<TimedSource> GpuSources(
    const std::vector<std::string>& variables, absl::Duration interval,
    const std::string& dcgm_host_engine,
    std::shared_ptr<GpuUtilizationPeak> peak = nullptr);

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_GPU_METRIC_SOURCE_H_
