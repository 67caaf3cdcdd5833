// The system's clock as somebody sets it: a test moves it while all runs.
#ifndef CARME_TESTS_PROXY_MOVABLE_CLOCK_H_
#define CARME_TESTS_PROXY_MOVABLE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace carme::testing {

// Thread-safe.
class MovableClock : public Clock {
 public:
  absl::Time Now() const override {
    return absl::Now() + absl::Nanoseconds(ahead_.load());
  }
  void Move(absl::Duration by) { ahead_ += absl::ToInt64Nanoseconds(by); }

 private:
  std::atomic<int64_t> ahead_ = 0;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_MOVABLE_CLOCK_H_
