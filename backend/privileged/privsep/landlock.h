// Limits the TCP ports that a process may connect to: landlock(7), because
// seccomp(2) cannot inspect addresses.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_LANDLOCK_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_LANDLOCK_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace carme {

// True from Linux 6.7 on, unless Landlock is disabled.
bool SupportsPortLimits();

// Permanently limits this process to TCP connections to these ports, of any
// host. REQUIRES: no_new_privs, SupportsPortLimits().
absl::Status LimitConnectPorts(const std::vector<uint16_t>& ports);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_LANDLOCK_H_
