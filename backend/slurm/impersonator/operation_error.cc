#include "backend/slurm/impersonator/operation_error.h"

#include "common/log.h"

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
      return absl::UnavailableError("Slurm cannot be reached now; try again");
  }
}

absl::Status HideError(const absl::Status& status,
                       const std::string& request_id,
                       const std::string& shown) {
  LogError(shown, {{"request", request_id}, {"error", status.ToString()}});
  return absl::UnavailableError(shown);
}

}  // namespace carme::backend
