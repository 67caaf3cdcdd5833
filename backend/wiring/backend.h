// Builds the backend from its components and runs it.
#ifndef CARME_BACKEND_WIRING_BACKEND_H_
#define CARME_BACKEND_WIRING_BACKEND_H_

#include "absl/status/status.h"
#include "backend/wiring/backend_config.h"

namespace carme::backend {

// Opens the components, serves until the process receives a stop signal, and
// then stops everything in reverse order. Returns the first error of opening.
absl::Status RunBackend(const BackendConfig& config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_BACKEND_H_
