#include "backend/jobs/admin_jobs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/jobs/messages.h"
#include "backend/jobs/store/extension_table.h"
#include "backend/notifications/event.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const TextTemplate& NoticeOf(AdminActionKind kind) {
  switch (kind) {
    case v1::AdminAction::KIND_STOP:
      return job_messages::kAdministratorStopped;
    case v1::AdminAction::KIND_HOLD:
      return job_messages::kAdministratorHolds;
    case v1::AdminAction::KIND_RELEASE:
      return job_messages::kAdministratorReleased;
    case v1::AdminAction::KIND_EXTEND:
      return job_messages::kAdministratorExtended;
    case v1::AdminAction::KIND_READ_LOG:
      return job_messages::kAdministratorReadLog;
    default:
      return job_messages::kAdministratorChanged;
  }
}

// Removes the oldest action without effect. The current hold and the last stop
// are always kept.
void EvictAction(Job* job) {
  std::vector<AdminAction>& actions = job->admin_actions;
  const AdminAction* const hold = AdminHoldOf(*job);
  const AdminAction* stop = nullptr;
  for (const AdminAction& action : actions) {
    if (action.kind == v1::AdminAction::KIND_STOP) stop = &action;
  }
  const auto found = std::find_if(actions.begin(), actions.end(),
                                  [&](const AdminAction& action) {
                                    return &action != hold && &action != stop;
                                  });
  if (found != actions.end()) actions.erase(found);
}

}  // namespace

absl::Status CheckAdminReason(const std::string& reason) {
  const std::optional<size_t> length = PrintableLength(reason);
  if (length && *length > 0 && *length <= AdminJobs::kMaxReason) {
    return absl::OkStatus();
  }
  return MakeError(job_messages::kInvalidReason,
                   {{"max", AdminJobs::kMaxReason}});
}

absl::StatusOr<Job> AdminJobs::Stop(const Request& request) {
  return Do(request, v1::AdminAction::KIND_STOP, [&](const Session& owner) {
    return parts_.jobs->Stop(owner, request.job, request.request_id);
  });
}

absl::StatusOr<Job> AdminJobs::Hold(const Request& request) {
  return Do(request, v1::AdminAction::KIND_HOLD, [&](const Session& owner) {
    return parts_.jobs->Hold(owner, request.job, request.request_id);
  });
}

absl::StatusOr<Job> AdminJobs::Release(const Request& request) {
  return Do(request, v1::AdminAction::KIND_RELEASE, [&](const Session& owner) {
    return parts_.jobs->Release(owner, request.job, request.request_id);
  });
}

absl::StatusOr<Job> AdminJobs::Extend(const Request& request, absl::Duration by,
                                      const std::string& key) {
  const auto extend = [&](const Session& owner) {
    return parts_.jobs->Extend(owner, request.job, by, key, request.request_id);
  };
  return Do(request, v1::AdminAction::KIND_EXTEND, extend, key);
}

absl::StatusOr<LogText> AdminJobs::ReadLog(const Request& request,
                                           const std::string& app,
                                           int64_t offset,
                                           std::optional<uint32_t> task) {
  RETURN_IF_ERROR(CheckAdminReason(request.reason));
  ASSIGN_OR_RETURN(const Job job,
                   parts_.jobs->GetOfAnyOwner(request.job, request.request_id));
  const AdminAction action = ActionOf(request, v1::AdminAction::KIND_READ_LOG);
  const auto is_same = [&](const AdminAction& earlier) {
    return earlier.kind == action.kind &&
           earlier.administrator == action.administrator &&
           earlier.reason == action.reason &&
           action.at - earlier.at < kSameReading;
  };
  if (std::none_of(job.admin_actions.begin(), job.admin_actions.end(),
                   is_same)) {
    if (!HasEnded(job)) RETURN_IF_ERROR(Record(request, action));
    RETURN_IF_ERROR(Notify(request, job, action));
  }
  ASSIGN_OR_RETURN(const Session owner, OwnerOf(job));
  return parts_.jobs->ReadLog(owner, request.job, app, offset,
                              request.request_id, task);
}

absl::StatusOr<Job> AdminJobs::Do(const Request& request, AdminActionKind kind,
                                  const Act& act, const std::string& key) {
  RETURN_IF_ERROR(CheckAdminReason(request.reason));
  ASSIGN_OR_RETURN(const Job job,
                   parts_.jobs->GetOfAnyOwner(request.job, request.request_id));
  if (HasEnded(job)) {
    return MakeError(job_messages::kHasEnded);
  }
  ASSIGN_OR_RETURN(const Session owner, OwnerOf(job));
  const AdminAction action = ActionOf(request, kind);
  // A repeated extension is returned from its record.
  ASSIGN_OR_RETURN(const bool is_repeated, IsRepeated(request, key));
  if (!is_repeated) RETURN_IF_ERROR(Record(request, action));
  absl::StatusOr<Job> done = act(owner);
  if (!done.ok()) {
    if (!is_repeated) Remove(request.job, action);
    return done;
  }
  if (const absl::Status notified = Notify(request, job, action, key);
      !notified.ok()) {
    // The action is done and recorded with the job.
    LogError("job's owner not notified", {{"request", request.request_id},
                                          {"job", request.job.value()},
                                          {"error", StatusText(notified)}});
  }
  return done;
}

absl::StatusOr<bool> AdminJobs::IsRepeated(const Request& request,
                                           const std::string& key) const {
  if (key.empty()) return false;
  std::optional<ExtensionRow> earlier;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(earlier, FindExtension(db, request.job, key));
        return absl::OkStatus();
      });
  if (read.ok()) return earlier.has_value();
  LogError("extensions of a job not read", {{"request", request.request_id},
                                            {"job", request.job.value()},
                                            {"error", StatusText(read)}});
  return MakeError(job_messages::kJobUnreadable);
}

absl::StatusOr<Session> AdminJobs::OwnerOf(const Job& job) const {
  ASSIGN_OR_RETURN(const UserRecord known, parts_.users->Find(job.owner));
  Session owner;
  owner.username = job.owner;
  owner.uid = job.owner_uid;
  owner.role = known.person.role;
  return owner;
}

AdminAction AdminJobs::ActionOf(const Request& request,
                                AdminActionKind kind) const {
  // Rounded to the precision of the table.
  return {.kind = kind,
          .administrator = request.administrator.username,
          .reason = request.reason,
          .at = absl::FromUnixMicros(absl::ToUnixMicros(parts_.clock->Now()))};
}

absl::Status AdminJobs::Record(const Request& request,
                               const AdminAction& action) {
  const auto changed =
      parts_.jobs->active().Change(request.job, [&](ActiveJob& active) {
        std::vector<AdminAction>& actions = active.job.admin_actions;
        if (actions.size() >= kMaxActions) EvictAction(&active.job);
        actions.push_back(action);
      });
  if (!changed) return MakeError(job_messages::kHasEnded);
  const absl::Status written = parts_.jobs->active().Wait(changed->ticket);
  if (written.ok()) return written;
  Remove(request.job, action);
  LogError("administrator's action not recorded",
           {{"request", request.request_id},
            {"job", request.job.value()},
            {"error", StatusText(written)}});
  return MakeError(job_messages::kActionNotRecorded);
}

void AdminJobs::Remove(const JobId& job, const AdminAction& action) {
  parts_.jobs->active().Change(job, [&](ActiveJob& active) {
    std::vector<AdminAction>& actions = active.job.admin_actions;
    const auto found = std::find(actions.rbegin(), actions.rend(), action);
    if (found != actions.rend()) actions.erase(std::next(found).base());
  });
}

absl::Status AdminJobs::Notify(const Request& request, const Job& job,
                               const AdminAction& action,
                               const std::string& key) const {
  const DisplayText text =
      MakeText(NoticeOf(action.kind), {{"administrator", action.administrator},
                                       {"job", Readable(job.spec.name, 64)},
                                       {"reason", action.reason}});
  Event event{.uid = job.owner_uid,
              .kind = v1::NOTIFICATION_KIND_ACCOUNT,
              .subject = job.id.value(),
              .text = text};
  if (action.kind == v1::AdminAction::KIND_READ_LOG) {
    event.key = absl::StrCat(
        "read-log/", job.id.value(), "/", action.administrator, "/",
        HexEncode(Sha256(action.reason)).substr(0, 16), "/",
        absl::ToUnixSeconds(action.at) / absl::ToInt64Seconds(kSameReading));
  } else if (!key.empty()) {
    event.key =
        absl::StrCat("extend/", job.id.value(), "/", action.administrator, "/",
                     HexEncode(Sha256(key)).substr(0, 16));
  }
  const absl::Status posted = parts_.database->Transact(
      [&](Database& db) { return PostEvent(db, event, action.at); });
  if (posted.ok()) return posted;
  LogError("notification not recorded", {{"request", request.request_id},
                                         {"job", job.id.value()},
                                         {"error", StatusText(posted)}});
  return MakeError(job_messages::kActionNotRecorded);
}

}  // namespace carme::backend
