#include "proxy/limits/keyed_rate_limiter.h"

namespace carme::proxy {

bool KeyedRateLimiter::AllowFrom(int64_t* due, int64_t now) const {
  limiter_.ResetAfterClockChange(due, now);
  return limiter_.Allow(due, now);
}

bool KeyedRateLimiter::Allow(const std::string& key, absl::Time now) {
  const int64_t now_ns = absl::ToUnixNanos(now);
  std::lock_guard lock(mutex_);
  auto found = buckets_.find(key);
  if (found != buckets_.end()) return AllowFrom(&found->second, now_ns);
  if (buckets_.size() >= kMaxKeys &&
      (now - last_cleanup_ >= absl::Seconds(1) || now < last_cleanup_)) {
    last_cleanup_ = now;
    absl::erase_if(buckets_,
                   [&](const auto& entry) { return entry.second <= now_ns; });
  }
  // A client with that many addresses shares one bucket for all of them.
  if (buckets_.size() >= kMaxKeys) return AllowFrom(&overflow_bucket_, now_ns);
  return AllowFrom(&buckets_.emplace(key, 0).first->second, now_ns);
}

}  // namespace carme::proxy
