// What a client may hear about a call to the backend that failed.
#ifndef CARME_FRONTEND_BACKEND_BACKEND_FAILURE_H_
#define CARME_FRONTEND_BACKEND_BACKEND_FAILURE_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace grpc {
class ClientContext;
}

namespace carme::frontend {

// The backend's own message passes. A message of gRPC (addresses, TLS errors,
// "Socket closed") is replaced, and so is every internal error; both go to the
// log. Requires that the call has ended: it reads the trailing metadata.
absl::Status BackendFailure(const grpc::Status& status,
                            const grpc::ClientContext& context,
                            const std::string& method,
                            const std::string& request_id);

// The rule alone: `from_backend` is whether the backend itself answered.
absl::Status SafeStatus(const grpc::Status& status, bool from_backend);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_BACKEND_BACKEND_FAILURE_H_
