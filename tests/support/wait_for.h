// Waiting for what must come. How long is no subject of a test: it only bounds
// how long a failure takes, so it is what a slow, cold and busy machine needs.
#ifndef CARME_TESTS_SUPPORT_WAIT_FOR_H_
#define CARME_TESTS_SUPPORT_WAIT_FOR_H_

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace carme::testing {

inline constexpr absl::Duration kWaitTimeout = absl::Seconds(120);

// False when `predicate` was not true within `timeout`.
bool WaitFor(const auto& predicate, absl::Duration timeout = kWaitTimeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (!predicate()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

}  // namespace carme::testing

#endif  // CARME_TESTS_SUPPORT_WAIT_FOR_H_
