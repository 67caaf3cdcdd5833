#include "common/grpc_status.h"

#include <array>
#include <string>

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

const ConnectCode& Find(absl::StatusCode code) {
  for (const ConnectCode& row : kConnectCodes) {
    if (row.code == code) return row;
  }
  return kConnectCodes[1];
}

}  // namespace

// Both libraries number the canonical codes alike.
grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()));
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
}

int ConnectHttpStatus(absl::StatusCode code) { return Find(code).http; }
std::string_view ConnectCodeName(absl::StatusCode code) {
  return Find(code).name;
}

}  // namespace carme
