// A rate limit: the generic cell rate algorithm (ITU-T I.371), a token bucket
// whose whole state is one number. The caller owns that number, one per limited
// user or address, also in memory that processes share; what the keys are and
// when they are evicted is the caller's policy.
//
//   const RateLimiter limiter(absl::Seconds(1) / 50, /*burst=*/100);
//   int64_t due = 0;
//   if (!limiter.Allow(&due, now_ns)) return TooManyRequests();
#ifndef CARME_COMMON_CONCURRENCY_RATE_LIMITER_H_
#define CARME_COMMON_CONCURRENCY_RATE_LIMITER_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace carme {

// Immutable, so thread-safe. The state, `due`, is the time at which the bucket
// is full again, in nanoseconds of a clock; 0 is a full bucket. `now` is a time
// of the same clock and must not be negative.
class RateLimiter {
 public:
  // Allows `burst` events at once, and one each `interval` in the long run.
  // REQUIRES: `interval` is at least 1 ns, `burst` at least 1.
  RateLimiter(absl::Duration interval, int64_t burst)
      : interval_ns_(absl::ToInt64Nanoseconds(interval)), burst_(burst) {}

  // Whether `cost` events are allowed now. If so they are counted, otherwise
  // the state does not change.
  bool Allow(int64_t* due, int64_t now, int64_t cost = 1) const {
    const std::optional<int64_t> next = Next(*due, now, cost);
    if (next) *due = *next;
    return next.has_value();
  }
  // The same, for a state that threads or processes share. Lock-free.
  bool Allow(std::atomic_ref<int64_t> due, int64_t now,
             int64_t cost = 1) const {
    int64_t seen = due.load();
    while (true) {
      const std::optional<int64_t> next = Next(seen, now, cost);
      if (!next) return false;
      if (due.compare_exchange_weak(seen, *next)) return true;
    }
  }

  // For a clock that can be set back: call it before Allow(). A bucket that is
  // further ahead of the clock than an empty one becomes full. Threads read the
  // clock at slightly different times, so a second more is possible.
  void ResetAfterClockChange(int64_t* due, int64_t now) const {
    constexpr int64_t kTolerance_ns = 1'000'000'000;
    if (*due > now + window_ns() + kTolerance_ns) *due = now;
  }

  // The time in which an empty bucket is refilled.
  int64_t window_ns() const { return burst_ * interval_ns_; }

 private:
  std::optional<int64_t> Next(int64_t due, int64_t now, int64_t cost) const {
    if (cost > burst_) return std::nullopt;
    const int64_t next = std::max(due, now) + cost * interval_ns_;
    if (next - now > window_ns()) return std::nullopt;
    return next;
  }

  int64_t interval_ns_;
  int64_t burst_;
};

}  // namespace carme

#endif  // CARME_COMMON_CONCURRENCY_RATE_LIMITER_H_
