#include "proxy/limits/rate_limiter.h"

#include <algorithm>

namespace carme::proxy {

bool RateLimiter::AllowFrom(absl::Time* full_at, absl::Time now) const {
  // A clock that was set back must not block clients.
  const absl::Time from =
      *full_at > now + slack_ ? now : std::max(*full_at, now);
  if (from + interval_ > now + slack_) return false;
  *full_at = from + interval_;
  return true;
}

bool RateLimiter::Allow(const std::string& key, absl::Time now) {
  std::lock_guard lock(mutex_);
  auto found = buckets_.find(key);
  if (found != buckets_.end()) return AllowFrom(&found->second, now);
  if (buckets_.size() >= kMaxKeys &&
      (now - last_cleanup_ >= absl::Seconds(1) || now < last_cleanup_)) {
    last_cleanup_ = now;
    absl::erase_if(buckets_,
                   [&](const auto& entry) { return entry.second <= now; });
  }
  // A client with that many addresses shares one bucket for all of them.
  if (buckets_.size() >= kMaxKeys) return AllowFrom(&overflow_bucket_, now);
  return AllowFrom(&buckets_.emplace(key, absl::InfinitePast()).first->second,
                   now);
}

}  // namespace carme::proxy
