#include "frontend/backend/backend_failure.h"

#include <grpcpp/client_context.h>

#include "common/grpc/grpc_status.h"
#include "common/grpc/status_origin.h"
#include "common/log.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "frontend/backend/messages.h"

namespace carme::frontend {
namespace {

constexpr char kInternal[] = "something went wrong inside Carme";

// The backend's access check rejects a call before it can mark the status in
// the trailing metadata. Its errors have a reason, which those of gRPC have
// not.
bool IsFromBackend(const grpc::Status& status,
                   const grpc::ClientContext& context) {
  const auto& trailers = context.GetServerTrailingMetadata();
  if (trailers.find(kStatusOriginKey) != trailers.end()) return true;
  return !ErrorReason(FromGrpc(status)).empty();
}

bool IsInternal(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal ||
         code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

}  // namespace

absl::Status SafeStatus(const grpc::Status& status, bool from_backend) {
  const absl::Status found = FromGrpc(status);
  if (IsMethodUnknown(found)) {
    return MakeError(backend_connection_messages::kOlder);
  }
  if (IsInternal(found.code())) return absl::InternalError(kInternal);
  if (from_backend) return found;
  switch (found.code()) {
    case absl::StatusCode::kUnavailable:
      return MakeError(backend_connection_messages::kUnreachable);
    case absl::StatusCode::kDeadlineExceeded:
      return MakeError(backend_connection_messages::kLate);
    case absl::StatusCode::kCancelled:
      return absl::CancelledError("the call was cancelled");
    default:
      return absl::InternalError(kInternal);
  }
}

absl::Status BackendFailure(const grpc::Status& status,
                            const grpc::ClientContext& context,
                            const std::string& method,
                            const std::string& request_id) {
  const bool from_backend = IsFromBackend(status, context);
  absl::Status safe = SafeStatus(status, from_backend);
  const bool ordinary =
      (from_backend && safe.code() != absl::StatusCode::kInternal &&
       safe.code() != absl::StatusCode::kUnimplemented) ||
      safe.code() == absl::StatusCode::kCancelled;
  if (!ordinary) {
    LogWarning("call to the backend failed",
               {{"request", request_id},
                {"method", method},
                {"code", ConnectCodeName(FromGrpc(status).code())},
                {"error", status.error_message()}});
  }
  return safe;
}

}  // namespace carme::frontend
