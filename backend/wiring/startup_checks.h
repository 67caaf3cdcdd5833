// What must be true of the process and its host before the backend starts.
#ifndef CARME_BACKEND_WIRING_STARTUP_CHECKS_H_
#define CARME_BACKEND_WIRING_STARTUP_CHECKS_H_

#include <string>

#include "absl/status/status.h"

namespace carme::backend {

// FAILED_PRECONDITION with a remedy: runs as root, or the state directory is
// not a directory of this user that is closed to others. Sets the umask so that
// nothing that is written later is open to others either.
absl::Status PrepareEnvironment(const std::string& state_directory);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_STARTUP_CHECKS_H_
