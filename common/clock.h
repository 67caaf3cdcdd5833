// The current time as an interface, so that tests can set it.
#ifndef CARME_COMMON_CLOCK_H_
#define CARME_COMMON_CLOCK_H_

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace carme {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

class SystemClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace carme

#endif  // CARME_COMMON_CLOCK_H_
