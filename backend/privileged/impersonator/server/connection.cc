#include "backend/privileged/impersonator/server/connection.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/time/clock.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/protocol/request.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/privileged/impersonator/server/commit.h"
#include "backend/privileged/impersonator/server/executor.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/privileged/protocol/outcome.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

// The backend makes its record durable meanwhile.
constexpr absl::Duration kCommitTimeout = absl::Seconds(10);
// Operations that hold the lock take some milliseconds, unless slurmctld hangs.
constexpr absl::Duration kLockTimeout = absl::Seconds(5);
// A waiting process occupies a slot of max_operations itself.
constexpr absl::Duration kSlotTimeout = absl::Milliseconds(200);

void Reply(int fd, const Response& response) {
  // The operation has ended; without a client there is nothing left to do.
  WriteFrame(fd, response.SerializeAsString()).IgnoreError();
}

// The one audit line of a valid request.
void AuditOperation(const Peer& peer, const Request& request,
                    std::string_view decision, const Response& response) {
  const Operation& operation = OperationFor(request);
  LogAudit("operation",
           {{"request", request.request_id()},
            {"peer_uid", peer.uid},
            {"peer_pid", peer.pid},
            {"user", request.user()},
            {"uid", request.uid()},
            {"as", operation.as_slurm_user ? "slurm_user" : "user"},
            {"operation", operation.name},
            {"object", operation.object(request)},
            {"decision", decision},
            {"result", OutcomeName(response.outcome())},
            {"slurm_job", response.slurm_job_id()},
            {"error", response.message()}});
}

absl::StatusOr<Request> ReadRequest(int fd) {
  ASSIGN_OR_RETURN(const std::string body, ReadRequestFrame(fd));
  return ParseRequest(body);
}

void Reject(int fd, const Peer& peer, const absl::Status& status) {
  if (absl::IsCancelled(status)) return;  // closed without a request
  AuditRejected(peer, status);
  Reply(fd, MakeResponse(privileged::v1::OUTCOME_REFUSED, status.message()));
}

Response ResponseForEnd(const ChildReport& report) {
  const ChildFailure failure = FailureOf(report);
  return MakeResponse(failure.outcome, failure.message);
}

Response AwaitOperation(Child* child, absl::Time deadline) {
  const ChildReport report = child->Await(deadline);
  Response response;
  if (!report.responded || !response.ParseFromString(report.response)) {
    return ResponseForEnd(report);
  }
  return response;
}

struct Result {
  std::string_view decision;
  Response response;
};

Result Abort(absl::string_view error) {
  return {"aborted", MakeResponse(privileged::v1::OUTCOME_UNAVAILABLE, error)};
}

// Empty: the executor is permitted to act. It queries NSS, which may take any
// time.
std::optional<Result> AwaitPermission(const Request& request,
                                      absl::Duration operation_timeout,
                                      Child* executor) {
  const absl::Duration timeout =
      std::min(kNameServiceTimeout, operation_timeout);
  const ChildReport report = executor->AwaitPermission(absl::Now() + timeout);
  if (report.permitted) return std::nullopt;
  Response response;
  if (report.responded && response.ParseFromString(report.response)) {
    const bool refused = response.outcome() == privileged::v1::OUTCOME_REFUSED;
    return Result{refused ? "refuse" : "error", response};
  }
  const ChildFailure failure = FailureOfLookUp(report, request.user(), timeout);
  return Result{"error", MakeResponse(failure.outcome, failure.message)};
}

// Returns the response without waiting for the child's end, which takes time.
// While the backend records the job, the executor becomes the user and prepares
// the operation.
Result RunOperation(int fd, const Request& request,
                    absl::Duration operation_timeout, Child* executor) {
  if (HasHungUp(fd))
    return Abort("the backend closed the connection before the operation");
  absl::Time deadline = absl::Now() + operation_timeout;
  if (OperationFor(request).awaits_commit) {
    const absl::Status committed = ForwardCommit(
        fd, request.submit().carme_job_id(),
        std::min(deadline, absl::Now() + kCommitTimeout), executor);
    if (!committed.ok()) return Abort(committed.message());
    deadline = absl::Now() + operation_timeout;
  } else {
    executor->Commit();
  }
  return {"allow", AwaitOperation(executor, deadline)};
}

// Called after the policy has allowed the operation, because the policy
// verifies the user that the operation counts for.
absl::Status CheckLimits(const Request& request, const ServingLimits& limits) {
  const Operation& operation = OperationFor(request);
  RETURN_IF_ERROR(limits.user_lock->AcquireSlot(
      request.uid(), limits.operations_per_user, kSlotTimeout));
  const absl::Duration now = SharedRateLimiter::Uptime();
  RETURN_IF_ERROR(limits.rates->Admit(operation.kind, request.uid(), now));
  // An array is one submission of many jobs.
  RETURN_IF_ERROR(limits.rates->AdmitTasks(
      request.uid(), CountArrayTasks(request.submit().array()).value_or(0),
      now));
  if (!operation.one_at_a_time) return absl::OkStatus();
  return limits.user_lock->Acquire(request.uid(), kLockTimeout);
}

Result Serve(int fd, const Request& request, absl::Duration operation_timeout,
             absl::StatusOr<Child>* executor, const ServingLimits& limits) {
  if (!executor->ok()) return {"error", ResponseFor(executor->status())};
  Child* const child = &**executor;
  SendExecRequest(request, child);
  const std::optional<Result> refused =
      AwaitPermission(request, operation_timeout, child);
  if (refused.has_value()) return *refused;
  if (const absl::Status within = CheckLimits(request, limits); !within.ok()) {
    return {"refuse",
            MakeResponse(privileged::v1::OUTCOME_EXHAUSTED, within.message())};
  }
  return RunOperation(fd, request, operation_timeout, child);
}

}  // namespace

void ServeConnection(int fd, const Peer& peer, absl::Duration operation_timeout,
                     absl::StatusOr<Child> executor,
                     const ServingLimits& limits) {
  const absl::StatusOr<Request> request = ReadRequest(fd);
  if (!request.ok()) return Reject(fd, peer, request.status());
  const Result result =
      Serve(fd, *request, operation_timeout, &executor, limits);
  // The audit line comes first: it must exist even if the response is lost.
  AuditOperation(peer, *request, result.decision, result.response);
  Reply(fd, result.response);
}

}  // namespace carme::impersonator
