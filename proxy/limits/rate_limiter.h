// Limits the rate of events per key.
#ifndef CARME_PROXY_LIMITS_RATE_LIMITER_H_
#define CARME_PROXY_LIMITS_RATE_LIMITER_H_

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace carme::proxy {

// A token bucket per key (ConnectionLimiter::ClientKey) with `burst` tokens
// that is refilled at `per_second`. Thread-safe: the loops share one.
class RateLimiter {
 public:
  // Both must be at least 1.
  RateLimiter(int per_second, int burst)
      : interval_(absl::Seconds(1) / per_second), slack_(interval_ * burst) {}

  // Whether the event is allowed. Takes a token if it is.
  bool Allow(const std::string& key, absl::Time now);

 private:
  static constexpr size_t kMaxKeys = 100'000;
  bool AllowFrom(absl::Time* full_at, absl::Time now) const;

  const absl::Duration interval_;
  const absl::Duration slack_;
  std::mutex mutex_;
  // The time at which each bucket is full again; guarded by mutex_. Full
  // buckets may be removed.
  absl::flat_hash_map<std::string, absl::Time> buckets_;
  absl::Time last_cleanup_ = absl::InfinitePast();
  // Shared by all keys beyond kMaxKeys.
  absl::Time overflow_bucket_ = absl::InfinitePast();
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_RATE_LIMITER_H_
