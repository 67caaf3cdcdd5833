// The time since boot: changes of the clock do not affect it, and it counts
// while the machine is suspended.
#ifndef CARME_BACKEND_STANDBY_BOOT_TIME_H_
#define CARME_BACKEND_STANDBY_BOOT_TIME_H_

#include <time.h>

#include "absl/time/time.h"

namespace carme::backend {

inline absl::Duration TimeSinceBoot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return absl::DurationFromTimespec(now);
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_STANDBY_BOOT_TIME_H_
