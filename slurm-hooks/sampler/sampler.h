// Asks metric sources for values, each at its interval, on a thread of its own.
#ifndef CARME_SLURM_HOOKS_SAMPLER_SAMPLER_H_
#define CARME_SLURM_HOOKS_SAMPLER_SAMPLER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "slurm-hooks/sampler/metric_source.h"

namespace carme::sampler {

struct TimedSource {
  std::unique_ptr<MetricSource> source;
  absl::Duration interval;
};

// A round that begins too late is not made up for: its samples, as many as the
// source added in its last round, count as missed.
class Sampler {
 public:
  // `buffer` and `clock` must outlive this.
  Sampler(std::vector<TimedSource> sources, SampleBuffer* buffer,
          const Clock* clock);
  ~Sampler();

  // Ends the thread, and asks each source once more. Call at most once.
  void Finish();

 private:
  struct Schedule {
    TimedSource timed;
    absl::Duration due;  // since the start
    uint64_t last_samples = 0;
  };
  absl::Duration SampleDue();
  void NoteClockChange(absl::Time now, absl::Duration elapsed);

  std::vector<Schedule> schedules_;
  SampleBuffer* const buffer_;
  const Clock* const clock_;
  const int64_t start_ns_;   // of the monotonic clock
  absl::Time expected_;      // the clock's time at the start of this process
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_SAMPLER_H_
