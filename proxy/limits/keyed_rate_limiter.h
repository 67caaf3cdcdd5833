// Limits the rate of events per key, such as a client's address.
#ifndef CARME_PROXY_LIMITS_KEYED_RATE_LIMITER_H_
#define CARME_PROXY_LIMITS_KEYED_RATE_LIMITER_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/concurrency/rate_limiter.h"

namespace carme::proxy {

// A bucket per key (ClientKeyOf) with `burst` tokens that is refilled at
// `per_second`. Thread-safe: the loops share one.
class KeyedRateLimiter {
 public:
  // Both must be at least 1.
  KeyedRateLimiter(int per_second, int burst)
      : limiter_(absl::Seconds(1) / per_second, burst) {}

  // Whether the event is allowed. Takes a token if it is.
  bool Allow(const std::string& key, absl::Time now);

 private:
  static constexpr size_t kMaxKeys = 100'000;
  bool AllowFrom(int64_t* due, int64_t now) const;

  const RateLimiter limiter_;
  std::mutex mutex_;
  // The limiter's state of each key; guarded by mutex_. Full buckets may be
  // removed.
  absl::flat_hash_map<std::string, int64_t> buckets_;
  absl::Time last_cleanup_ = absl::InfinitePast();
  // Shared by all keys beyond kMaxKeys.
  int64_t overflow_bucket_ = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_KEYED_RATE_LIMITER_H_
