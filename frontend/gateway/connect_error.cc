#include "frontend/gateway/connect_error.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "carme/v1/text_code.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/error_details.h"
#include "frontend/gateway/envelope.h"
#include "frontend/gateway/json_codec.h"
#include "google/rpc/error_details.pb.h"

namespace carme::frontend {
namespace {

// The Connect code for a status that HTTP itself requires.
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
    case 501:
    case 505:
      return absl::StatusCode::kUnimplemented;
    case 500:
      return absl::StatusCode::kInternal;
    case 503:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInvalidArgument;
  }
}

// One detail in Connect's form, with JSON in "debug". Returns "" for messages
// that are neither of google.rpc nor a carme.v1.TextCode.
std::string DetailJson(absl::string_view type_url, const absl::Cord& value) {
  const std::string type(absl::StripPrefix(type_url, kDetailPrefix));
  google::rpc::ErrorInfo info;
  google::rpc::QuotaFailure quota;
  google::rpc::PreconditionFailure precondition;
  google::rpc::BadRequest request;
  v1::TextCode code;
  const std::string bytes(value);
  for (google::protobuf::Message* detail :
       std::initializer_list<google::protobuf::Message*>{
           &info, &quota, &precondition, &request, &code}) {
    if (detail->GetTypeName() != type) continue;
    if (!detail->ParseFromString(bytes)) return "";
    const absl::StatusOr<std::string> debug = PrintJson(*detail);
    if (!debug.ok()) return "";
    std::string base64;
    absl::Base64Escape(bytes, &base64);
    while (base64.ends_with('=')) base64.pop_back();
    return absl::StrCat("{\"type\":", JsonString(type),
                        ",\"value\":", JsonString(base64),
                        ",\"debug\":", *debug, "}");
  }
  return "";
}

// ",\"details\":[…]", or empty.
std::string DetailsJson(const absl::Status& status) {
  std::vector<std::string> details;
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& value) {
    std::string detail = DetailJson(type, value);
    if (!detail.empty()) details.push_back(std::move(detail));
  });
  if (details.empty()) return "";
  // Abseil iterates payloads in no particular order.
  std::sort(details.begin(), details.end());
  return absl::StrCat(",\"details\":[", absl::StrJoin(details, ","), "]");
}

}  // namespace

std::string ErrorJson(const absl::Status& status, std::string_view request_id) {
  const std::string message(status.message().data(), status.message().size());
  return absl::StrCat("{\"code\":", JsonString(ConnectCodeName(status.code())),
                      ",\"message\":", JsonString(message),
                      ",\"requestId\":", JsonString(request_id),
                      DetailsJson(status), "}");
}

HttpResponse ErrorResponse(const absl::Status& status,
                           std::string_view request_id) {
  HttpResponse response{.status = ConnectHttpStatus(status.code()),
                        .body = ErrorJson(status, request_id)};
  response.Set("Content-Type", "application/json");
  response.Set("Cache-Control", "no-store");
  // RFC 9110 section 15.5.2. Browsers show no dialog for this scheme.
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

}  // namespace carme::frontend
