#include "backend/privileged/connection.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/actor.h"
#include "backend/privileged/acts.h"
#include "backend/privileged/array_text.h"
#include "backend/privileged/child.h"
#include "backend/privileged/frame_io.h"
#include "backend/privileged/go.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/request.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

// The backend sends its request with the connection.
constexpr absl::Duration kReadTimeout = absl::Seconds(2);
constexpr absl::Duration kDirectoryTimeout = absl::Seconds(5);
// It records the job meanwhile.
constexpr absl::Duration kGoTimeout = absl::Seconds(10);
// Each act that is waited for takes some milliseconds, unless slurmctld hangs.
constexpr absl::Duration kTurnTimeout = absl::Seconds(5);
// While it waits it takes a place of max_acts itself.
constexpr absl::Duration kPlaceTimeout = absl::Milliseconds(200);

void Reply(int fd, const Response& response) {
  // The act is over, and who asked may be gone: nothing is left to be done.
  WriteFrame(fd, response.SerializeAsString()).IgnoreError();
}

// The one audit line of a request that could be parsed.
void AuditAct(const Peer& peer, const Request& request,
              std::string_view decision, const Response& response) {
  const Operation& operation = OperationOf(request);
  LogAudit("act", {{"request", request.request_id()},
                   {"peer_uid", peer.uid},
                   {"peer_pid", peer.pid},
                   {"user", request.user()},
                   {"uid", request.uid()},
                   {"as", operation.as_operator ? "slurm_user" : "user"},
                   {"act", operation.name},
                   {"object", operation.object(request)},
                   {"decision", decision},
                   {"result", NameOf(response.outcome())},
                   {"slurm_job", response.slurm_job_id()},
                   {"detail", response.message()}});
}

absl::StatusOr<Request> ReadRequest(int fd, bool of_storage) {
  ASSIGN_OR_RETURN(const std::string body,
                   ReadFrame(fd, absl::Now() + kReadTimeout));
  ASSIGN_OR_RETURN(Request request, ParseRequest(body));
  if (OperationOf(request).of_storage != of_storage) {
    return absl::InvalidArgumentError(
        of_storage ? "another act: expected read_storage on this socket"
                   : "storage is asked for on another socket");
  }
  return request;
}

// What cannot be read as a request has no fields that could be trusted.
void Reject(int fd, const Peer& peer, const absl::Status& status) {
  if (absl::IsCancelled(status)) return;  // the peer changed its mind
  LogAudit("act", {{"peer_uid", peer.uid},
                   {"peer_pid", peer.pid},
                   {"decision", "refuse"},
                   {"result", "refused"},
                   {"detail", status.message()}});
  Reply(fd, Outcome(privileged::v1::OUTCOME_REFUSED, status.message()));
}

// What an act's child that gave no answer leaves to say.
Response WithoutAnswer(const ChildReport& report) {
  const std::string message =
      absl::StrCat("the act's process ", report.end,
                   report.begun ? " after it had begun" : " before it began");
  if (report.begun) return Outcome(privileged::v1::OUTCOME_UNKNOWN, message);
  return Outcome(report.end == "timed out" ? privileged::v1::OUTCOME_UNAVAILABLE
                                           : privileged::v1::OUTCOME_FAILED,
                 message);
}

Response AwaitAct(Child* child, absl::Time deadline) {
  const ChildReport report = child->Await(deadline);
  Response response;
  if (!report.answered || !response.ParseFromString(report.answer)) {
    return WithoutAnswer(report);
  }
  return response;
}

struct Verdict {
  std::string_view decision;
  Response response;
};

Verdict Withdraw(absl::string_view why) {
  return {"withdrawn", Outcome(privileged::v1::OUTCOME_UNAVAILABLE, why)};
}

// What the actor has decided: nothing when it may act. It asks the directory,
// which may take any time.
std::optional<Verdict> AwaitPermission(const Request& request,
                                       absl::Duration act_timeout,
                                       Child* actor) {
  const absl::Duration timeout = std::min(kDirectoryTimeout, act_timeout);
  const ChildReport report = actor->AwaitPermission(absl::Now() + timeout);
  if (report.permitted) return std::nullopt;
  Response response;
  if (report.answered && response.ParseFromString(report.answer)) {
    const bool refused = response.outcome() == privileged::v1::OUTCOME_REFUSED;
    return Verdict{refused ? "refuse" : "could_not_tell", response};
  }
  if (report.end != "timed out") {
    return Verdict{"could_not_tell", WithoutAnswer(report)};
  }
  return Verdict{"could_not_tell",
                 Outcome(privileged::v1::OUTCOME_UNAVAILABLE,
                         absl::StrCat("look up \"", request.user(),
                                      "\": no answer within ",
                                      absl::FormatDuration(timeout)))};
}

// The act's answer, given before the child is waited for: its end takes time.
// The actor becomes the user, and gets everything ready, while the backend
// records the job.
Verdict ActWith(int fd, const Request& request, absl::Duration act_timeout,
                Child* actor) {
  if (HasHungUp(fd)) return Withdraw("the backend hung up before the act");
  absl::Time deadline = absl::Now() + act_timeout;
  if (OperationOf(request).awaits_go) {
    const absl::Status go =
        PassOnGo(fd, request.submit().carme_job_id(),
                 std::min(deadline, absl::Now() + kGoTimeout), actor);
    if (!go.ok()) return Withdraw(go.message());
    deadline = absl::Now() + act_timeout;
  } else {
    actor->Go();
  }
  return {"allow", AwaitAct(actor, deadline)};
}

// Only once the policy has allowed it is it known whose act it is.
absl::Status MakeRoom(const Request& request, const ServingLimits& limits) {
  const Operation& operation = OperationOf(request);
  if (!operation.of_storage) {
    RETURN_IF_ERROR(limits.turns->TakePlace(request.uid(), limits.acts_per_user,
                                            kPlaceTimeout));
  }
  RETURN_IF_ERROR(
      limits.rates->Admit(operation.kind, request.uid(), RateLimits::Uptime()));
  // One submission may be many jobs.
  RETURN_IF_ERROR(limits.rates->AdmitTasks(
      request.uid(), CountTasks(request.submit().array()).value_or(0),
      RateLimits::Uptime()));
  if (!operation.in_turn) return absl::OkStatus();
  return limits.turns->Take(request.uid(), kTurnTimeout);
}

Verdict Serve(int fd, const Request& request, absl::Duration act_timeout,
              absl::StatusOr<Child>* actor, const ServingLimits& limits) {
  if (!actor->ok()) return {"could_not_tell", OutcomeOf(actor->status())};
  Child* const child = &**actor;
  OrderAct(request, child);
  const std::optional<Verdict> refused =
      AwaitPermission(request, act_timeout, child);
  if (refused.has_value()) return *refused;
  if (const absl::Status room = MakeRoom(request, limits); !room.ok()) {
    return {"refuse",
            Outcome(privileged::v1::OUTCOME_EXHAUSTED, room.message())};
  }
  return ActWith(fd, request, act_timeout, child);
}

}  // namespace

void ServeConnection(int fd, const Peer& peer, bool of_storage,
                     absl::Duration act_timeout, absl::StatusOr<Child> actor,
                     const ServingLimits& limits) {
  const absl::StatusOr<Request> request = ReadRequest(fd, of_storage);
  if (!request.ok()) return Reject(fd, peer, request.status());
  const Verdict verdict = Serve(fd, *request, act_timeout, &actor, limits);
  // The line first: what was done is known even when nobody hears of it.
  AuditAct(peer, *request, verdict.decision, verdict.response);
  Reply(fd, verdict.response);
}

}  // namespace carme::impersonator
