#include "backend/privileged/connection.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/account.h"
#include "backend/privileged/actor.h"
#include "backend/privileged/acts.h"
#include "backend/privileged/child.h"
#include "backend/privileged/directory_watchdog.h"
#include "backend/privileged/frame_io.h"
#include "backend/privileged/go.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/policy.h"
#include "backend/privileged/request.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

// The backend sends its request with the connection.
constexpr absl::Duration kReadTimeout = absl::Seconds(2);
constexpr absl::Duration kDirectoryTimeout = absl::Seconds(5);
// It records the job meanwhile.
constexpr absl::Duration kGoTimeout = absl::Seconds(10);

void Reply(int fd, const Response& response) {
  // The act is over, and who asked may be gone: nothing is left to be done.
  WriteFrame(fd, response.SerializeAsString()).IgnoreError();
}

// The one audit line of a request that could be parsed.
std::string AuditLineOf(const Peer& peer, const Request& request,
                        std::string_view decision, const Response& response) {
  const Operation& operation = OperationOf(request);
  return AuditLine("act", {{"request", request.request_id()},
                           {"peer_uid", peer.uid},
                           {"peer_pid", peer.pid},
                           {"user", request.user()},
                           {"uid", request.uid()},
                           {"act", operation.name},
                           {"object", operation.object(request)},
                           {"decision", decision},
                           {"result", NameOf(response.outcome())},
                           {"slurm_job", response.slurm_job_id()},
                           {"detail", response.message()}});
}

void Finish(int fd, const Peer& peer, const Request& request,
            std::string_view decision, const Response& response) {
  // The line first: what was done is known even when nobody hears of it.
  WriteLogLine(AuditLineOf(peer, request, decision, response));
  Reply(fd, response);
}

void RefuseTooMany(int fd, const Peer& peer, const Request& request,
                   const absl::Status& why) {
  Finish(fd, peer, request, "refuse",
         Outcome(privileged::v1::OUTCOME_EXHAUSTED, why.message()));
}

absl::StatusOr<Request> ReadRequest(int fd) {
  ASSIGN_OR_RETURN(const std::string body,
                   ReadFrame(fd, absl::Now() + kReadTimeout));
  return ParseRequest(body);
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

// Whom to act as, if the directory can tell and the policy agrees.
absl::StatusOr<Account> Decide(int fd, const Peer& peer, const Request& request,
                               const ImpersonatorConfig& config) {
  const absl::Duration timeout =
      std::min(kDirectoryTimeout, config.act_timeout);
  const Response silence = Outcome(
      privileged::v1::OUTCOME_UNAVAILABLE,
      absl::StrCat("look up \"", request.user(), "\": no answer within ",
                   absl::FormatDuration(timeout)));
  const DirectoryWatchdog watchdog(
      timeout, fd, EncodeFrame(silence.SerializeAsString()),
      AuditLineOf(peer, request, "could_not_tell", silence));
  ASSIGN_OR_RETURN(Account account,
                   LookUpAccount(request.user(), config.policy.allowed_group));
  RETURN_IF_ERROR(MayActAs(config.policy, account, Uid(request.uid())));
  return account;
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

// The act's answer, given before the child is waited for: its end takes time.
// The actor becomes the user, and gets everything ready, while the backend
// records the job.
Verdict ActWith(int fd, const Request& request, absl::Time deadline,
                absl::Duration act_timeout, Child* child) {
  if (OperationOf(request).awaits_go) {
    const absl::Status go =
        PassOnGo(fd, request.submit().carme_job_id(),
                 std::min(deadline, absl::Now() + kGoTimeout), child);
    if (!go.ok()) return Withdraw(go.message());
    deadline = absl::Now() + act_timeout;
  }
  return {"allow", AwaitAct(child, deadline)};
}

}  // namespace

void ServeConnection(int fd, const Peer& peer, const ImpersonatorConfig& config,
                     absl::StatusOr<Child> actor, RateLimits* limits) {
  // What is no request counts too.
  const absl::Status room = limits->AdmitConnection(RateLimits::Uptime());
  const absl::StatusOr<Request> request = ReadRequest(fd);
  if (!request.ok()) return Reject(fd, peer, request.status());
  if (!room.ok()) return RefuseTooMany(fd, peer, *request, room);

  const absl::Time deadline = absl::Now() + config.act_timeout;
  const absl::StatusOr<Account> account = Decide(fd, peer, *request, config);
  if (!account.ok()) {
    const bool refused = absl::IsPermissionDenied(account.status());
    return Finish(fd, peer, *request, refused ? "refuse" : "could_not_tell",
                  OutcomeOf(account.status()));
  }
  if (request->has_submit()) {  // whoever has too many jobs may still cancel
    const absl::Status free =
        limits->AdmitSubmission(account->uid, RateLimits::Uptime());
    if (!free.ok()) return RefuseTooMany(fd, peer, *request, free);
  }
  if (HasHungUp(fd)) {
    const Verdict verdict = Withdraw("the backend hung up before the act");
    return Finish(fd, peer, *request, verdict.decision, verdict.response);
  }
  Verdict verdict{"allow", OutcomeOf(actor.status())};
  if (actor.ok()) {
    OrderAct(*request, *account, &*actor);
    verdict = ActWith(fd, *request, deadline, config.act_timeout, &*actor);
  }
  Finish(fd, peer, *request, verdict.decision, verdict.response);
}

}  // namespace carme
