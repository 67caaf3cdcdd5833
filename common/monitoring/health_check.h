// Asks a running program for its health, as `curl ADDRESS/healthz` would: for
// containers, which have no other program. Blocks; thread-safe.
#ifndef CARME_COMMON_MONITORING_HEALTH_CHECK_H_
#define CARME_COMMON_MONITORING_HEALTH_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme {

// OK: the program at `metrics_listen` (its configuration's value) is alive.
// FAILED_PRECONDITION: the address is empty. INVALID_ARGUMENT: it is invalid.
// UNAVAILABLE: no response, each step of which may take `timeout`, or another
// one than 200.
absl::Status CheckHealth(const std::string& metrics_listen,
                         absl::Duration timeout = absl::Seconds(3));

}  // namespace carme

#endif  // CARME_COMMON_MONITORING_HEALTH_CHECK_H_
