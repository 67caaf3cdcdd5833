#include "proxy/pace.h"

#include <algorithm>

namespace carme::proxy {

bool Pace::TakeFrom(absl::Time* full_at, absl::Time now) const {
  // A clock that was set back must not lock anybody out.
  const absl::Time from =
      *full_at > now + slack_ ? now : std::max(*full_at, now);
  if (from + each_ > now + slack_) return false;
  *full_at = from + each_;
  return true;
}

bool Pace::Take(const std::string& place, absl::Time now) {
  std::lock_guard lock(mutex_);
  auto found = places_.find(place);
  if (found != places_.end()) return TakeFrom(&found->second, now);
  if (places_.size() >= kMostPlaces &&
      (now - swept_ >= absl::Seconds(1) || now < swept_)) {
    swept_ = now;
    absl::erase_if(places_,
                   [&](const auto& entry) { return entry.second <= now; });
  }
  // Who has that many addresses fills one bucket with them all.
  if (places_.size() >= kMostPlaces) return TakeFrom(&others_, now);
  return TakeFrom(&places_.emplace(place, absl::InfinitePast()).first->second,
                  now);
}

}  // namespace carme::proxy
