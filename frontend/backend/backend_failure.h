// The error that a client receives for a failed call to the backend.
#ifndef CARME_FRONTEND_BACKEND_BACKEND_FAILURE_H_
#define CARME_FRONTEND_BACKEND_BACKEND_FAILURE_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace grpc {
class ClientContext;
}

namespace carme::frontend {

// A message that the backend wrote is returned. Messages of gRPC (addresses,
// TLS errors, "Socket closed") and internal errors are logged and replaced.
// REQUIRES: the call has ended; this reads the trailing metadata.
absl::Status BackendFailure(const grpc::Status& status,
                            const grpc::ClientContext& context,
                            const std::string& method,
                            const std::string& request_id);

// The same rule without a call. `from_backend`: the backend sent the status.
absl::Status SafeStatus(const grpc::Status& status, bool from_backend);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_BACKEND_BACKEND_FAILURE_H_
