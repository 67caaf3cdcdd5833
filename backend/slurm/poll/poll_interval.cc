#include "backend/slurm/poll/poll_interval.h"

#include <algorithm>

namespace carme::backend {
namespace {

constexpr absl::Duration kMinSoon = absl::Milliseconds(100);
// Polling uses at most one part in so many of a CPU.
constexpr int kCpuShare = 25;
constexpr int kCpuShareSoon = 5;
constexpr absl::Duration kMaxNormal = absl::Seconds(10);
constexpr absl::Duration kMaxWhenHurried = absl::Seconds(2);

}  // namespace

PollInterval PollIntervalFor(absl::Duration interval, absl::Duration cost) {
  return {.normal = std::max(interval, std::min(kCpuShare * cost, kMaxNormal)),
          .soon = std::max(kMinSoon,
                           std::min(kCpuShareSoon * cost, kMaxWhenHurried))};
}

}  // namespace carme::backend
