#include "backend/storage/storage_reader_client.h"

#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/protocol/client.h"
#include "carme/privileged/v1/storage.pb.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::backend {
namespace {

using privileged::v1::StorageRequest;
using privileged::v1::StorageResponse;

constexpr char kProgram[] = "storage reader";
// The maximum age of an observation.
constexpr absl::Duration kMaxObservationAge = absl::Minutes(1);

absl::Status StatusOf(const StorageResponse& response) {
  const std::string& message = response.message();
  switch (response.outcome()) {
    case privileged::v1::OUTCOME_OK:
      return absl::OkStatus();
    case privileged::v1::OUTCOME_REFUSED:
      return absl::PermissionDeniedError(message);
    case privileged::v1::OUTCOME_UNAVAILABLE:
      return absl::UnavailableError(message);
    case privileged::v1::OUTCOME_EXHAUSTED:
      return absl::ResourceExhaustedError(message);
    case privileged::v1::OUTCOME_FAILED:
      return absl::InternalError(message);
    default:
      return absl::AbortedError(message);
  }
}

StorageArea AreaOf(const privileged::v1::StorageArea& row) {
  StorageArea area{.name = row.name(),
                   .path = row.path(),
                   .bytes = {.used = row.used_bytes(),
                             .soft_limit = row.soft_limit_bytes(),
                             .limit = row.limit_bytes()},
                   .files = {.used = row.used_files(),
                             .soft_limit = row.soft_limit_files(),
                             .limit = row.limit_files()},
                   .grace_ends = {},
                   .shared = row.shared(),
                   .problem = row.problem()};
  if (row.grace_ends_unix_s() != 0) {
    area.grace_ends = absl::FromUnixSeconds(row.grace_ends_unix_s());
  }
  return area;
}

absl::StatusOr<StorageResponse> Exchange(
    const StorageReaderClientConfig& config, const StorageRequest& request) {
  ASSIGN_OR_RETURN(const UniqueFd fd,
                   SendToProgram(config.socket, kProgram, request));
  StorageResponse response;
  RETURN_IF_ERROR(ReadFromProgram(fd.get(), absl::Now() + config.timeout,
                                  config.timeout, kProgram, &response));
  return response;
}

}  // namespace

StorageReaderClientConfig ReadStorageReaderClientConfig(ConfigTable root) {
  StorageReaderClientConfig config;
  ConfigTable table = root.Table("storage_reader");
  table.Read("socket", &config.socket);
  if (!config.socket.starts_with('/')) {
    table.Refuse("socket", "expected an absolute path");
  }
  table.Read("timeout_s", &config.timeout, Range(5, 600));
  return config;
}

StorageReaderClient::StorageReaderClient(StorageReaderClientConfig config,
                                         ServiceLog* logs)
    : config_(std::move(config)), log_(logs, "carme-storage-reader") {}

absl::StatusOr<std::vector<StorageArea>> StorageReaderClient::ReadStorageAsUser(
    const PosixUser& user, const std::string& request_id) {
  StorageRequest request;
  request.set_request_id(request_id);
  request.set_user(user.name);
  request.set_uid(user.uid.value());
  OperationMeter::Scope measured(&operations_, 0, 0);
  const absl::StatusOr<StorageResponse> response = Exchange(config_, request);
  availability_.Observe(response.status(), absl::Now());
  const absl::Status status =
      response.ok() ? StatusOf(*response) : response.status();
  measured.SetCode(status);
  log_.Add({.name = "read",
            .user = user.name,
            .request_id = request_id,
            .reads = true},
           status);
  RETURN_IF_ERROR(status);
  std::vector<StorageArea> areas;
  for (const privileged::v1::StorageArea& row : response->areas()) {
    areas.push_back(AreaOf(row));
  }
  return areas;
}

void StorageReaderClient::ProbeIdle() {
  if (!availability_.IsStale(absl::Now(), kMaxObservationAge)) return;
  availability_.Observe(ProbeProgram(config_.socket, kProgram), absl::Now());
}

}  // namespace carme::backend
