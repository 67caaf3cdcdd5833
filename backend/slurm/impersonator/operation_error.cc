#include "backend/slurm/impersonator/operation_error.h"

#include "backend/slurm/impersonator/messages.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {

bool IsPermanentRejection(absl::StatusCode code) {
  return code == absl::StatusCode::kFailedPrecondition ||
         code == absl::StatusCode::kPermissionDenied ||
         code == absl::StatusCode::kResourceExhausted ||
         code == absl::StatusCode::kUnavailable ||
         code == absl::StatusCode::kInternal;
}

absl::Status ClientOperationError(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
      return status;
    case absl::StatusCode::kInternal:
      return absl::InternalError(
          "internal error of Carme; please tell an administrator");
    default:
      return MakeError(slurm_operation_messages::kUnreachable);
  }
}

absl::Status HideError(const absl::Status& status,
                       const std::string& request_id,
                       const ErrorTemplate& shown) {
  LogError(shown.text,
           {{"request", request_id}, {"error", StatusText(status)}});
  return MakeError(shown);
}

}  // namespace carme::backend
