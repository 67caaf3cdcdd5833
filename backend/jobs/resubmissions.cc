#include "backend/jobs/resubmissions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/session.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/messages.h"
#include "backend/notifications/event.h"
#include "common/display_text.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kMaxAtOnce = 1000;
constexpr size_t kMaxNamedNodes = 16;

// Whether a retry may succeed although nothing is changed.
bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsAborted(status);
}

DisplayText NamesOf(const std::vector<std::string>& nodes) {
  const size_t named = std::min(nodes.size(), kMaxNamedNodes);
  std::string names = absl::StrJoin(
      nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(named), ", ");
  if (named == nodes.size()) return names;
  return MakeText(job_lifecycle_messages::kAndMoreNodes,
                  {{"nodes", names}, {"more", nodes.size() - named}});
}

}  // namespace

bool EndedByVetting(const Job& job) {
  return job.end == v1::JOB_END_FAILED && !job.ready_at &&
         std::any_of(job.apps.begin(), job.apps.end(), [](const JobApp& app) {
           return app.id == kVetting && app.state == v1::JOB_APP_STATE_FAILED;
         });
}

JobSpec SpecWithout(const std::vector<std::string>& nodes, JobSpec spec) {
  for (const std::string& node : nodes) {
    auto& excluded = spec.excluded_nodes;
    if (std::find(excluded.begin(), excluded.end(), node) == excluded.end()) {
      excluded.push_back(node);
    }
  }
  spec.start_at.reset();
  if (spec.batch) spec.batch->dependencies.clear();
  return spec;
}

void Resubmissions::Follow() {
  std::vector<ResubmissionRow> ended;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(ended, ReadEndedResubmissions(db, kMaxAtOnce));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("jobs to submit again not read", {{"error", StatusText(read)}});
    return;
  }
  const absl::MutexLock lock(&mutex_);
  std::set<JobId> open;
  for (const ResubmissionRow& row : ended) open.insert(row.job);
  std::erase_if(retries_,
                [&](const auto& retry) { return !open.contains(retry.first); });
  const absl::Time now = parts_.clock->Now();
  for (const ResubmissionRow& row : ended) {
    const auto retry = retries_.find(row.job);
    if (retry != retries_.end() && now < retry->second.not_before) continue;
    // Until then other code may write its row.
    if (parts_.jobs->active().Find(row.job)) continue;
    Decide(row);
  }
}

void Resubmissions::Decide(const ResubmissionRow& row) {
  const absl::StatusOr<Job> ended = parts_.jobs->store().Find(row.job);
  absl::Status done = ended.status();
  if (ended.ok() && !EndedByVetting(*ended)) {
    done = DeleteRecord(row.job);
  } else if (ended.ok()) {
    const absl::StatusOr<std::vector<std::string>> nodes =
        UnhealthyNodesOf(*ended);
    const absl::StatusOr<Job> submitted =
        nodes.ok() ? Submit(row, *ended, *nodes) : nodes.status();
    if (IsTransient(submitted.status()) && WillRetry(row.job)) return;
    done = Record(*ended, submitted,
                  nodes.ok() ? *nodes : std::vector<std::string>());
  }
  if (done.ok()) return;
  LogError("job not submitted again yet",
           {{"job", row.job.value()}, {"error", StatusText(done)}});
}

absl::StatusOr<std::vector<std::string>> Resubmissions::UnhealthyNodesOf(
    const Job& job) {
  std::vector<std::string> nodes;
  if (parts_.node_history != nullptr) {
    ASSIGN_OR_RETURN(nodes, parts_.node_history->FailedNodesOf(job.id.value()));
  }
  if (nodes.empty()) return MakeError(job_messages::kNoUnhealthyNode);
  return nodes;
}

absl::StatusOr<Job> Resubmissions::Submit(
    const ResubmissionRow& row, const Job& ended,
    const std::vector<std::string>& nodes) {
  if (row.number >= kMaxInARow) {
    return MakeError(job_messages::kResubmissionsUsed, {{"max", kMaxInARow}});
  }
  const absl::StatusOr<Person> owner =
      parts_.person_lookup->LookUp(ended.owner);
  const bool is_removed = owner.ok() ? owner->uid != ended.owner_uid
                                     : absl::IsNotFound(owner.status());
  if (is_removed) {
    return MakeError(job_messages::kOwnerRemoved, {{"user", ended.owner}});
  }
  if (!owner.ok()) return absl::UnavailableError(owner.status().message());
  Session session;
  session.username = owner->username;
  session.uid = owner->uid;
  session.role = owner->role;
  AuditEvent event;
  event.actor = owner->username;
  event.actor_uid = owner->uid;
  event.act = "submit";
  event.subject = ended.id.value();
  event.request_id = NewRequestId();
  return parts_.jobs->Resubmit(session, SpecWithout(nodes, row.spec),
                               absl::StrCat("resubmit/", ended.id.value()),
                               event, row.number + 1);
}

bool Resubmissions::WillRetry(const JobId& job) {
  const absl::Time now = parts_.clock->Now();
  const Retry first{.until = now + kRetryFor, .wait = kFirstRetry};
  Retry& retry = retries_.try_emplace(job, first).first->second;
  retry.not_before = now + retry.wait;
  retry.wait *= 2;
  return now < retry.until;
}

absl::Status Resubmissions::Record(const Job& ended,
                                   const absl::StatusOr<Job>& submitted,
                                   const std::vector<std::string>& nodes) {
  const DisplayText names = NamesOf(nodes);
  const DisplayText cause =
      submitted.ok() ? DisplayText() : TextOfStatus(submitted.status());
  const std::string& name = ended.spec.name;
  const Event event{
      .uid = ended.owner_uid,
      .kind = v1::NOTIFICATION_KIND_JOB_FAILED,
      .subject = submitted.ok() ? submitted->id.value() : ended.id.value(),
      .text = submitted.ok()
                  ? MakeText(job_messages::kResubmittedNotification,
                             {{"job", name}, {"nodes", names}})
                  : MakeText(job_messages::kNotResubmittedNotification,
                             {{"job", name}, {"cause", cause}}),
      .key = absl::StrCat("job:", ended.id.value(), ":resubmitted")};
  const absl::Time now = parts_.clock->Now();
  ASSIGN_OR_RETURN(
      const Job changed,
      parts_.jobs->store().ChangeEnded(
          ended.id, [&](Database& db, Job* job) -> absl::Status {
            const DisplayText reason = job->reason;
            if (submitted.ok()) {
              job->resubmitted_as = submitted->id;
              job->reason = MakeText(job_messages::kResubmitted,
                                     {{"reason", reason},
                                      {"job", submitted->id.value()},
                                      {"nodes", names}});
            } else {
              job->reason = MakeText(job_messages::kNotResubmitted,
                                     {{"reason", reason}, {"cause", cause}});
            }
            RETURN_IF_ERROR(PostEvent(db, event, now));
            return DeleteResubmission(db, ended.id);
          }));
  parts_.jobs->feed().Publish(changed);
  LogInfo("resubmission decided", {{"user", changed.owner},
                                   {"job", changed.id.value()},
                                   {"new_job", changed.resubmitted_as.value()},
                                   {"result", StatusText(submitted.status())}});
  return absl::OkStatus();
}

absl::Status Resubmissions::DeleteRecord(const JobId& job) {
  return parts_.database->Transact(
      [&](Database& db) { return DeleteResubmission(db, job); });
}

}  // namespace carme::backend
