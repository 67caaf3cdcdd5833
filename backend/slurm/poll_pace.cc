#include "backend/slurm/poll_pace.h"

#include <algorithm>

namespace carme::backend {
namespace {

constexpr absl::Duration kLeast = absl::Milliseconds(100);
// One part of so many of a processor's time is the watcher's.
constexpr int kParts = 25;
constexpr int kPartsWhenHurried = 5;
constexpr absl::Duration kMost = absl::Seconds(10);
constexpr absl::Duration kMostWhenHurried = absl::Seconds(2);

}  // namespace

PollPace PaceOf(absl::Duration interval, absl::Duration cost) {
  return {.usual = std::max(interval, std::min(kParts * cost, kMost)),
          .hurried = std::max(
              kLeast, std::min(kPartsWhenHurried * cost, kMostWhenHurried))};
}

}  // namespace carme::backend
