// The host whose backend is active, where several share the state directory.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_ACTIVE_HOST_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_ACTIVE_HOST_H_

#include <optional>
#include <string>

#include "backend/carmectl/doctor/host/host.h"

namespace carme::carmectl {

// The name of another host that renewed its lease within the time after which a
// standby takes over. nullopt: there is none, or its record cannot be read.
// REQUIRES: the host has a backend.
std::optional<std::string> OtherActiveHost(const Host& host);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_CHECKS_ACTIVE_HOST_H_
