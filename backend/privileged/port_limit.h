// Which TCP ports a process may connect to: landlock(7), which is asked where
// seccomp(2) cannot look, in an address.
#ifndef CARME_BACKEND_PRIVILEGED_PORT_LIMIT_H_
#define CARME_BACKEND_PRIVILEGED_PORT_LIMIT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace carme::impersonator {

// Since Linux 6.7, unless Landlock is off.
bool KernelLimitsPorts();

// From now on, for this process, for good: TCP connections to these ports only,
// of any host. REQUIRES: no_new_privs, KernelLimitsPorts().
absl::Status LimitPorts(const std::vector<uint16_t>& ports);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_PORT_LIMIT_H_
