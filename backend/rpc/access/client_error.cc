#include "backend/rpc/access/client_error.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "backend/rpc/access/messages.h"
#include "backend/store/database_error.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

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
  LogError(absl::StrCat(std::string(what), " cannot be reached now"),
           {{"request", caller.request_id}, {"error", StatusText(status)}});
  return MakeError(access_messages::kUnavailable, {{"what", what}});
}

}  // namespace carme::backend
