// Checks of the process before the backend starts.
#ifndef CARME_BACKEND_WIRING_STARTUP_CHECKS_H_
#define CARME_BACKEND_WIRING_STARTUP_CHECKS_H_

#include <string>

#include "absl/status/status.h"

namespace carme::backend {

// FAILED_PRECONDITION: the process runs as root, the state directory does not
// belong to this user with mode 0700, or a file in it belongs to another user.
// NOT_FOUND: no such directory. The message has the remedy. Sets the umask so
// that files written later are not readable by others.
absl::Status PrepareEnvironment(const std::string& state_directory);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_STARTUP_CHECKS_H_
