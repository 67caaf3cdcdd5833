#include "backend/metrics/gpu_idle/idle_gpu_tracker.h"

namespace carme::metrics {

void IdleGpuTracker::Apply(absl::Time at,
                           const std::map<NodeAndGpu, double>& largest) {
  if (at <= applied_until_) {
    // The clock was set back: nothing is known.
    idle_since_.clear();
  }
  if (at - applied_until_ > kWindow) idle_since_.clear();
  applied_until_ = at;
  std::map<NodeAndGpu, absl::Time> now;
  for (const auto& [gpu, value] : largest) {
    absl::Time since = absl::InfiniteFuture();
    // Not a number is not below.
    if (value < threshold_) {
      const auto before = idle_since_.find(gpu);
      since = before == idle_since_.end() ||
                      before->second == absl::InfiniteFuture()
                  ? at
                  : before->second;
    }
    now.emplace(gpu, since);
  }
  idle_since_ = std::move(now);
}

std::map<NodeAndGpu, absl::Duration> IdleGpuTracker::IdleFor() const {
  std::map<NodeAndGpu, absl::Duration> idle_for;
  for (const auto& [gpu, since] : idle_since_) {
    idle_for[gpu] = since == absl::InfiniteFuture() ? absl::ZeroDuration()
                                                    : applied_until_ - since;
  }
  return idle_for;
}

}  // namespace carme::metrics
