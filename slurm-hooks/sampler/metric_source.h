// What a Sampler asks for values: one implementation for each place that they
// come from.
#ifndef CARME_SLURM_HOOKS_SAMPLER_METRIC_SOURCE_H_
#define CARME_SLURM_HOOKS_SAMPLER_METRIC_SOURCE_H_

#include <cstdint>
#include <memory>

#include "slurm-hooks/sampler/process_ranks.h"
#include "slurm-hooks/sampler/sample_buffer.h"

namespace carme::sampler {

class MetricSource {
 public:
  MetricSource() = default;
  virtual ~MetricSource() = default;
  MetricSource(const MetricSource&) = delete;
  MetricSource& operator=(const MetricSource&) = delete;

  // Reads all values once and adds them with this time. A value that is not
  // available is not added. Called on one thread; must not block for longer
  // than its interval.
  virtual void Sample(int64_t now_ms, SampleBuffer* buffer) = 0;

  // For a source that finds processes. Called before the first Sample().
  virtual void UseRanks(std::shared_ptr<const ProcessRanks> ranks) {
    static_cast<void>(ranks);
  }
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_METRIC_SOURCE_H_
