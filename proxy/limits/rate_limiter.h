// How often something may happen from one place.
#ifndef CARME_PROXY_LIMITS_RATE_LIMITER_H_
#define CARME_PROXY_LIMITS_RATE_LIMITER_H_

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace carme::proxy {

// A bucket for each place (ConnectionLimiter::ClientKey) that holds `burst` and
// is filled at `per_second`. Thread-safe: the loops share one.
class RateLimiter {
 public:
  // Both at least 1.
  RateLimiter(int per_second, int burst)
      : interval_(absl::Seconds(1) / per_second), slack_(interval_ * burst) {}

  // Whether it may happen now; then it has.
  bool Allow(const std::string& key, absl::Time now);

 private:
  static constexpr size_t kMaxKeys = 100'000;
  bool AllowFrom(absl::Time* full_at, absl::Time now) const;

  const absl::Duration interval_;
  const absl::Duration slack_;
  std::mutex mutex_;
  // When the bucket is full again; guarded by mutex_. Places whose bucket is
  // full are as good as unknown.
  absl::flat_hash_map<std::string, absl::Time> buckets_;
  absl::Time last_cleanup_ = absl::InfinitePast();
  // Of all places together that did not fit in there.
  absl::Time overflow_bucket_ = absl::InfinitePast();
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_RATE_LIMITER_H_
