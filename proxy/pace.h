// How often something may happen from one place.
#ifndef CARME_PROXY_PACE_H_
#define CARME_PROXY_PACE_H_

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace carme::proxy {

// A bucket for each place (Admission::PlaceOf) that holds `burst` and is filled
// at `per_second`. Thread-safe: the loops share one.
class Pace {
 public:
  // Both at least 1.
  Pace(int per_second, int burst)
      : each_(absl::Seconds(1) / per_second), slack_(each_ * burst) {}

  // Whether it may happen now; then it has.
  bool Take(const std::string& place, absl::Time now);

 private:
  static constexpr size_t kMostPlaces = 100'000;
  bool TakeFrom(absl::Time* full_at, absl::Time now) const;

  const absl::Duration each_;
  const absl::Duration slack_;
  std::mutex mutex_;
  // When the bucket is full again; guarded by mutex_. Places whose bucket is
  // full are as good as unknown.
  absl::flat_hash_map<std::string, absl::Time> places_;
  absl::Time swept_ = absl::InfinitePast();
  // Of all places together that did not fit in there.
  absl::Time others_ = absl::InfinitePast();
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_PACE_H_
