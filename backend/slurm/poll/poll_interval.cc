#include "backend/slurm/poll/poll_interval.h"

#include <algorithm>

namespace carme::backend {
namespace {

constexpr absl::Duration kLeast = absl::Milliseconds(100);
// One part of so many of a processor's time is the watcher's.
constexpr int kParts = 25;
constexpr int kPartsWhenHurried = 5;
constexpr absl::Duration kMost = absl::Seconds(10);
constexpr absl::Duration kMaxWhenHurried = absl::Seconds(2);

}  // namespace

PollInterval PaceOf(absl::Duration interval, absl::Duration cost) {
  return {.usual = std::max(interval, std::min(kParts * cost, kMost)),
          .hurried = std::max(
              kLeast, std::min(kPartsWhenHurried * cost, kMaxWhenHurried))};
}

}  // namespace carme::backend
