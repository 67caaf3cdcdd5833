// Limits how often a peer may send frames that cost it nothing.
#ifndef CARME_COMMON_NET_FRAME_BUDGET_H_
#define CARME_COMMON_NET_FRAME_BUDGET_H_

#include <cstdint>

#include "common/concurrency/rate_limiter.h"

namespace carme::net {

// A bucket of `max` frames that gains `per_second`, and frames that were earned
// otherwise. Not thread-safe: belongs to a connection, and has no lock.
class FrameBudget {
 public:
  FrameBudget(int64_t max, int64_t per_second)
      : limiter_(absl::Seconds(1) / per_second, max) {}

  // False: nothing is left. `now_ms`: monotonic.
  bool Take(int64_t now_ms) {
    if (earned_ > 0) {
      --earned_;
      return true;
    }
    return limiter_.Allow(&due_, now_ms * 1'000'000);
  }
  // Allows `frames` more, beyond `max`, too.
  void Give(int64_t frames) { earned_ += frames; }

 private:
  const RateLimiter limiter_;
  int64_t due_ = 0;  // the limiter's state
  int64_t earned_ = 0;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_FRAME_BUDGET_H_
