#include "backend/rpc/access/client_error.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "backend/store/database_error.h"
#include "common/log.h"

namespace carme::backend {
namespace {

bool IsForUsers(const absl::Status& status) {
  if (IsDatabaseError(status)) return false;
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::Status ClientError(const absl::Status& status, const Caller& caller,
                         std::string_view what) {
  if (IsForUsers(status)) return status;
  const std::string message =
      absl::StrCat(std::string(what), " cannot be reached now");
  LogError(message,
           {{"request", caller.request_id}, {"error", status.ToString()}});
  return absl::UnavailableError(absl::StrCat(message, "; try again"));
}

}  // namespace carme::backend
