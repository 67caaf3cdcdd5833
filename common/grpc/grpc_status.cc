#include "common/grpc/grpc_status.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/protobuf/error_details.h"
#include "google/rpc/status.pb.h"

namespace carme {
namespace {

struct ConnectCode {
  absl::StatusCode code;
  int http;
  std::string_view name;
};

constexpr std::array<ConnectCode, 16> kConnectCodes = {{
    {absl::StatusCode::kCancelled, 499, "canceled"},
    {absl::StatusCode::kUnknown, 500, "unknown"},
    {absl::StatusCode::kInvalidArgument, 400, "invalid_argument"},
    {absl::StatusCode::kDeadlineExceeded, 504, "deadline_exceeded"},
    {absl::StatusCode::kNotFound, 404, "not_found"},
    {absl::StatusCode::kAlreadyExists, 409, "already_exists"},
    {absl::StatusCode::kPermissionDenied, 403, "permission_denied"},
    {absl::StatusCode::kResourceExhausted, 429, "resource_exhausted"},
    {absl::StatusCode::kFailedPrecondition, 400, "failed_precondition"},
    {absl::StatusCode::kAborted, 409, "aborted"},
    {absl::StatusCode::kOutOfRange, 400, "out_of_range"},
    {absl::StatusCode::kUnimplemented, 501, "unimplemented"},
    {absl::StatusCode::kInternal, 500, "internal"},
    {absl::StatusCode::kUnavailable, 503, "unavailable"},
    {absl::StatusCode::kDataLoss, 500, "data_loss"},
    {absl::StatusCode::kUnauthenticated, 401, "unauthenticated"},
}};

// gRPC refuses more than 8 KiB of trailers, of which the message is one.
constexpr size_t kMaxDetailsBytes = 3 * 1024;

// A serialized google.rpc.Status; empty: there are no details. The largest
// details that do not fit are omitted: the message has the same information.
std::string DetailsOf(const absl::Status& status) {
  std::vector<google::protobuf::Any> details;
  size_t bytes = 0;
  const auto size = [](const google::protobuf::Any& detail) {
    return detail.type_url().size() + detail.value().size();
  };
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& value) {
    if (!absl::StartsWith(type, kDetailPrefix)) return;
    google::protobuf::Any& detail = details.emplace_back();
    detail.set_type_url(std::string(type));
    detail.set_value(std::string(value));
    bytes += size(detail);
  });
  while (bytes > kMaxDetailsBytes) {
    const auto largest = std::max_element(
        details.begin(), details.end(),
        [&](const auto& a, const auto& b) { return size(a) < size(b); });
    bytes -= size(*largest);
    details.erase(largest);
  }
  // Abseil visits the payloads in any order.
  std::sort(details.begin(), details.end(),
            [](const auto& one, const auto& other) {
              return one.type_url() < other.type_url();
            });
  google::rpc::Status message;
  for (google::protobuf::Any& detail : details) {
    *message.add_details() = std::move(detail);
  }
  if (message.details().empty()) return "";
  message.set_code(static_cast<int>(status.code()));
  return message.SerializeAsString();
}

// A status without details, which may have a reason in its message.
absl::Status FromMessage(const grpc::Status& status) {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const std::string& text = status.error_message();
  const size_t end = text.find("] ");
  const bool has_reason =
      !text.empty() && text[0] == '[' && end != std::string::npos && end > 1 &&
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", 1) == end;
  if (!has_reason) return absl::Status(code, text);
  absl::Status result(code, text.substr(end + 2));
  SetErrorInfo(text.substr(1, end - 1), {}, &result);
  return result;
}

const ConnectCode& Find(absl::StatusCode code) {
  for (const ConnectCode& row : kConnectCodes) {
    if (row.code == code) return row;
  }
  return kConnectCodes[1];
}

}  // namespace

// Both libraries use the same numbers for the canonical codes.
grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()), DetailsOf(status));
}

grpc::Status ToGrpcWithoutDetails(const absl::Status& status) {
  const std::string reason = ErrorReason(status);
  if (status.ok() || reason.empty()) return ToGrpc(status);
  return grpc::Status(
      static_cast<grpc::StatusCode>(status.code()),
      absl::StrCat("[", reason, "] ", std::string(status.message())));
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (status.error_details().empty()) return FromMessage(status);
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
  google::rpc::Status message;
  if (!message.ParseFromString(status.error_details())) return result;
  for (const google::protobuf::Any& detail : message.details()) {
    if (!absl::StartsWith(detail.type_url(), kDetailPrefix)) continue;
    result.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  return result;
}

bool IsMethodUnknown(const absl::Status& status) {
  return absl::IsUnimplemented(status) ||
         (absl::IsPermissionDenied(status) &&
          ErrorReason(status) == "METHOD_UNKNOWN");
}

int ConnectHttpStatus(absl::StatusCode code) { return Find(code).http; }
std::string_view ConnectCodeName(absl::StatusCode code) {
  return Find(code).name;
}

}  // namespace carme
