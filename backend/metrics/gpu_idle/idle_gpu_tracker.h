// For how long each GPU of a job has been idle. Pure.
#ifndef CARME_BACKEND_METRICS_GPU_IDLE_IDLE_GPU_TRACKER_H_
#define CARME_BACKEND_METRICS_GPU_IDLE_IDLE_GPU_TRACKER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/time/time.h"

namespace carme::metrics {

using NodeAndGpu = std::pair<std::string, std::string>;

// Not thread-safe. Points must be applied in the order of their times. What was
// not observed does not count as idle: a GPU without a sample in the time of a
// point is forgotten, and so are all after a gap between two points.
class IdleGpuTracker {
 public:
  // Each point stands for this time before it.
  static constexpr int64_t kWindow_s = 90;
  static constexpr absl::Duration kWindow = absl::Seconds(kWindow_s);

  // `threshold`: of the utilisation, 0 to 1.
  explicit IdleGpuTracker(double threshold) : threshold_(threshold) {}

  // `largest`: the largest sample of each GPU in the window before `at`.
  void Apply(absl::Time at, const std::map<NodeAndGpu, double>& largest);

  // The GPUs at the last point; 0: used. It is at least the time since the
  // first point of the row of idle ones.
  std::map<NodeAndGpu, absl::Duration> IdleFor() const;

  absl::Time applied_until() const { return applied_until_; }

 private:
  const double threshold_;
  absl::Time applied_until_ = absl::InfinitePast();
  // Of each GPU with samples, since when it is idle; InfiniteFuture: it is not.
  std::map<NodeAndGpu, absl::Time> idle_since_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_GPU_IDLE_IDLE_GPU_TRACKER_H_
