#include "backend/privileged/storage/connection.h"

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "absl/time/clock.h"
#include "backend/privileged/protocol/claimed_user.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/privileged/protocol/outcome.h"
#include "backend/privileged/storage/executor.h"
#include "backend/privileged/storage/messages.h"
#include "backend/privileged/storage/storage_messages.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::storage_reader {
namespace {

using privileged::v1::StorageRequest;
using privileged::v1::StorageResponse;
using RateLimit = SharedRateLimiter::Result;

struct ReadingResult {
  std::string_view decision;
  StorageResponse response;
};

void Reply(int fd, const StorageResponse& response) {
  // If the client is gone, nothing is left to do.
  WriteFrame(fd, response.SerializeAsString()).IgnoreError();
}

absl::StatusOr<StorageRequest> ReadStorageRequest(int fd) {
  ASSIGN_OR_RETURN(const std::string body, ReadRequestFrame(fd));
  return ParseStorageRequest(body);
}

void Reject(const AcceptedConnection& connection, const absl::Status& status) {
  if (absl::IsCancelled(status)) return;  // closed without a request
  AuditRejected(connection.peer, status);
  Reply(connection.fd.get(),
        MakeStorageResponse(privileged::v1::OUTCOME_REFUSED, status.message()));
}

void AuditReading(const Peer& peer, const StorageRequest& request,
                  const ReadingResult& result) {
  LogAudit("operation", {{"request", request.request_id()},
                         {"peer_uid", peer.uid},
                         {"peer_pid", peer.pid},
                         {"user", request.user()},
                         {"uid", request.uid()},
                         {"as", "user"},
                         {"operation", "read_storage"},
                         {"object", "storage"},
                         {"decision", result.decision},
                         {"result", OutcomeName(result.response.outcome())},
                         {"error", result.response.message()}});
}

StorageResponse ResponseOf(const ChildFailure& failure) {
  return MakeStorageResponse(failure.outcome, failure.message);
}

absl::Status CheckRateLimit(uid_t uid, SharedRateLimiter* limiter) {
  const RateLimit result = limiter->Admit(uid, 1, SharedRateLimiter::Uptime());
  if (result == RateLimit::kAdmitted) return absl::OkStatus();
  if (result == RateLimit::kUserLimit) {
    return MakePlainError(storage_reader_messages::kTooManyUserReadings,
                          {{"limit", limiter->per_user()}});
  }
  return MakePlainError(storage_reader_messages::kTooManyReadings,
                        {{"limit", limiter->total()}});
}

// The executor queries NSS, which may take any time.
ChildReport AwaitPermission(Child* executor) {
  return executor->AwaitPermission(absl::Now() + kNameServiceTimeout);
}

ReadingResult ResultWithoutPermission(const ChildReport& report,
                                      const std::string& user) {
  StorageResponse response;
  if (report.responded && response.ParseFromString(report.response)) {
    const bool refused = response.outcome() == privileged::v1::OUTCOME_REFUSED;
    return {refused ? "refuse" : "error", response};
  }
  return {"error",
          ResponseOf(FailureOfLookUp(report, user, kNameServiceTimeout))};
}

ReadingResult Read(int fd, const StorageRequest& request,
                   const RequestOptions& options,
                   absl::StatusOr<Child>* executor) {
  if (!executor->ok()) {
    return {"error", StorageResponseFor(executor->status())};
  }
  Child* const child = &**executor;
  child->SendRequest(EncodeClaimedUser(request.user(), Uid(request.uid())));
  const ChildReport permission = AwaitPermission(child);
  if (!permission.permitted) {
    return ResultWithoutPermission(permission, request.user());
  }
  // Only now is it certain which user the reading counts for.
  const absl::Status within = CheckRateLimit(request.uid(), options.limiter);
  if (!within.ok()) {
    return {"refuse", MakeStorageResponse(privileged::v1::OUTCOME_EXHAUSTED,
                                          within.message())};
  }
  if (HasHungUp(fd)) {
    return {"aborted",
            MakeStorageResponse(
                privileged::v1::OUTCOME_UNAVAILABLE,
                "the backend closed the connection before the operation")};
  }
  child->Commit();
  const ChildReport report =
      child->Await(absl::Now() + ReadingTimeout(*options.config));
  StorageResponse response;
  if (!report.responded || !response.ParseFromString(report.response)) {
    return {"allow", ResponseOf(FailureOf(report))};
  }
  return {"allow", response};
}

}  // namespace

void ServeStorageRequest(const AcceptedConnection& connection,
                         const RequestOptions& options,
                         absl::StatusOr<Child> executor) {
  const int fd = connection.fd.get();
  const absl::StatusOr<StorageRequest> request = ReadStorageRequest(fd);
  if (!request.ok()) return Reject(connection, request.status());
  const ReadingResult result = Read(fd, *request, options, &executor);
  // The audit line comes first: it must exist even if the response is lost.
  AuditReading(connection.peer, *request, result);
  Reply(fd, result.response);
}

void RunRequestProcess(const ForkedProcess& process,
                       const RequestOptions& options) {
  // Otherwise this process would keep the socket of a new storage reader busy.
  DieWithParent(process.server);
  absl::StatusOr<Child> executor =
      StartStorageExecutor(*options.config, *options.filters);
  // From here on it does not fork. It has read nothing from outside yet.
  if (const absl::Status filtered = options.filters->request.Install();
      !filtered.ok()) {
    LogError("cannot serve", {{"error", filtered.ToString()}});
    _exit(1);
  }
  const AcceptedConnection connection = AcceptConnection(
      process, {.peer_uid = options.peer_uid,
                .refusal = MakeStorageResponse(privileged::v1::OUTCOME_REFUSED,
                                               "this user is not served")
                               .SerializeAsString()});
  ServeStorageRequest(connection, options, std::move(executor));
  _exit(0);
}

}  // namespace carme::storage_reader
