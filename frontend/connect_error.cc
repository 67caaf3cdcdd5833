#include "frontend/connect_error.h"

#include "absl/strings/str_cat.h"
#include "common/grpc_status.h"
#include "frontend/envelope.h"
#include "frontend/json_codec.h"

namespace carme {
namespace {

// The code that says whose move it is, for a status of HTTP's own.
absl::StatusCode CodeOf(int http_status) {
  switch (http_status) {
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 408:
      return absl::StatusCode::kDeadlineExceeded;
    case 413:
    case 431:
      return absl::StatusCode::kResourceExhausted;
    case 405:
    case 505:
      return absl::StatusCode::kUnimplemented;
    default:
      return absl::StatusCode::kInvalidArgument;
  }
}

}  // namespace

std::string ErrorJson(const absl::Status& status, std::string_view request_id) {
  const std::string message(status.message().data(), status.message().size());
  return absl::StrCat("{\"code\":", JsonString(ConnectCodeName(status.code())),
                      ",\"message\":", JsonString(message),
                      ",\"requestId\":", JsonString(request_id), "}");
}

HttpResponse ErrorResponse(const absl::Status& status,
                           std::string_view request_id) {
  HttpResponse response{.status = ConnectHttpStatus(status.code()),
                        .body = ErrorJson(status, request_id)};
  response.Set("Content-Type", "application/json");
  response.Set("Cache-Control", "no-store");
  // RFC 9110 section 15.5.2; a browser shows no dialog for this scheme.
  if (response.status == 401) response.Set("WWW-Authenticate", "Bearer");
  return response;
}

HttpResponse ErrorResponse(const HttpError& error,
                           std::string_view request_id) {
  HttpResponse response = ErrorResponse(
      absl::Status(CodeOf(error.status), error.message), request_id);
  response.status = error.status;
  return response;
}

std::string EndOfStream(const absl::Status& status,
                        std::string_view request_id) {
  if (status.ok()) return Envelope(kEndOfStream, "{}");
  return Envelope(
      kEndOfStream,
      absl::StrCat("{\"error\":", ErrorJson(status, request_id), "}"));
}

}  // namespace carme
