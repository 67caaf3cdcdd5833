#include "backend/jobs/extensions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/slurm/act_error.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

// Slurm was asked, or not, by then.
constexpr absl::Duration kGrace = absl::Seconds(60);
constexpr int64_t kMostOfJob = 100;

}  // namespace

absl::Status CheckMayBeExtended(const Job& job) {
  if (!IsRunning(job) || !InSlurm(job) || !job.started_at) {
    return absl::FailedPreconditionError(
        "the job does not run: expected one that does");
  }
  if (job.spec.batch && !job.spec.batch->array.empty()) {
    return absl::FailedPreconditionError(
        "the job is an array: expected one whose time is not each task's");
  }
  for (const JobApp& app : job.apps) {
    if (app.id == kStageOut && app.state == JobAppState::kStarting) {
      return absl::FailedPreconditionError(
          "the job is copying its results and ends then: expected one that "
          "goes on");
    }
  }
  return absl::OkStatus();
}

absl::Status Extensions::Load() {
  return parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<ExtensionRow> rows, OpenExtensions(db));
    absl::MutexLock lock(&mutex_);
    for (const ExtensionRow& row : rows) open_[row.job] = row;
    return absl::OkStatus();
  });
}

absl::StatusOr<ExtensionQuestion> Extensions::QuestionOf(Role role,
                                                         const Job& job) const {
  ExtensionQuestion question{
      .walltime = job.spec.walltime,
      .site_longest = parts_.config->life.longest_walltime,
      .role = role,
      .limits = parts_.config->LimitsOf(role)};
  // The quotas know the rule that counts, which may allow more than the role.
  if (parts_.quotas.ask) question.limits.max_walltime = absl::ZeroDuration();
  if (parts_.find_template && !job.spec.job_template.empty()) {
    absl::StatusOr<JobTemplate> found =
        parts_.find_template(job.spec.job_template);
    if (!found.ok()) {
      // Without it the job would be held against less.
      LogError("a job's template not known",
               {{"job", job.id.value()},
                {"template", job.spec.job_template},
                {"error", found.status().ToString()}});
      return absl::UnavailableError(
          "the job's template cannot be looked up now: try again");
    }
    question.job_template = *std::move(found);
  }
  if (IsCompanion(job)) {
    const std::optional<Job> joined =
        parts_.live->Find(JobId(job.spec.companion_of));
    question.joined_longest = absl::ZeroDuration();
    if (joined && joined->ends_at && job.started_at) {
      question.joined_longest = *joined->ends_at - *job.started_at;
    }
  }
  return question;
}

absl::Duration Extensions::ExtendableBy(const Session& caller,
                                        const Job& job) const {
  if (parts_.config->life.longest_walltime <= absl::ZeroDuration() ||
      !CheckMayBeExtended(job).ok()) {
    return absl::ZeroDuration();
  }
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  absl::StatusOr<ExtensionQuestion> question = QuestionOf(caller.role, job);
  if (!question.ok()) return absl::ZeroDuration();
  question->partition = PartitionNamed(*cluster, job.spec.partition);
  return carme::ExtendableBy(*question);
}

absl::Time Extensions::LatestEnd(const Job& job, absl::Time end) const {
  if (!job.started_at || job.spec.batch) return end;
  return std::max(end, *job.started_at + parts_.config->life.longest_walltime);
}

absl::StatusOr<Extensions::Recorded> Extensions::Record(
    const Session& caller, const JobId& id, absl::Duration by,
    const std::string& key) {
  const std::optional<Job> job = parts_.live->Find(id);
  if (!job) {
    return absl::FailedPreconditionError(
        "the job does not run: expected one that does");
  }
  ASSIGN_OR_RETURN(const ExtensionQuestion question,
                   QuestionOf(caller.role, *job));
  ExtensionQuotas::InTransaction quota;
  if (parts_.quotas.ask) quota = parts_.quotas.ask(caller, *job, by);
  if (const absl::Status current = AwaitRecord(id); !current.ok()) {
    return absl::InternalError(
        absl::StrCat("the job's record is behind: ", current.ToString()));
  }
  Recorded recorded;
  absl::Status refused;
  const absl::Status written =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        absl::StatusOr<Recorded> in =
            RecordIn(db, question, id, by, key, quota);
        refused = in.status();
        RETURN_IF_ERROR(refused);
        recorded = *std::move(in);
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(refused);
  RETURN_IF_ERROR(written);
  if (recorded.done) return recorded;
  absl::MutexLock lock(&mutex_);
  open_[id] = recorded.row;
  return recorded;
}

absl::StatusOr<Extensions::Recorded> Extensions::RecordIn(
    Database& db, ExtensionQuestion question, const JobId& id,
    absl::Duration by, const std::string& key,
    const ExtensionQuotas::InTransaction& quota) {
  const std::optional<Job> job = parts_.live->Find(id);
  if (!job) {
    return absl::FailedPreconditionError(
        "the job does not run: expected one that does");
  }
  ASSIGN_OR_RETURN(const auto earlier, FindExtension(db, id, key));
  if (earlier) return Recorded{*earlier, *job, earlier->done};
  ASSIGN_OR_RETURN(const auto open, OpenExtension(db, id));
  if (open) {
    return absl::UnavailableError(
        "another extension of the job is under way: try again");
  }
  RETURN_IF_ERROR(CheckMayBeExtended(*job));
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  question.walltime = job->spec.walltime;
  question.partition = PartitionNamed(*cluster, job->spec.partition);
  RETURN_IF_ERROR(CheckExtension(question, by));
  ASSIGN_OR_RETURN(const int64_t count, CountExtensions(db, id));
  if (count >= kMostOfJob) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the job was extended ", count, " times: expected fewer"));
  }
  if (quota) RETURN_IF_ERROR(quota(db));
  ExtensionRow row{.job = id,
                   .key = key,
                   .from = job->spec.walltime,
                   .to = job->spec.walltime + by,
                   .asked_at = parts_.clock->Now()};
  ASSIGN_OR_RETURN(row.id, InsertExtension(db, row));
  // What is promised counts, whoever adds up.
  JobSpec promised = job->spec;
  promised.walltime = row.to;
  RETURN_IF_ERROR(WriteSpec(db, id, promised));
  return Recorded{row, *job, /*done=*/false, /*fresh=*/true};
}

absl::StatusOr<Job> Extensions::Extend(const Session& caller, const JobId& id,
                                       absl::Duration by,
                                       const std::string& key,
                                       const std::string& request_id) {
  if (!BeginAct(id)) {
    return absl::UnavailableError(
        "another extension of the job is under way: try again");
  }
  absl::StatusOr<Job> answer;
  const absl::StatusOr<Recorded> recorded = Record(caller, id, by, key);
  if (!recorded.ok()) {
    const absl::StatusCode code = recorded.status().code();
    const bool hidden = code == absl::StatusCode::kInternal ||
                        code == absl::StatusCode::kUnknown;
    answer = hidden ? HiddenError(recorded.status(), request_id,
                                  "the extension cannot be recorded now: try "
                                  "again")
                    : recorded.status();
  } else if (recorded->done) {
    answer = recorded->job;
  } else {
    const Job& job = recorded->job;
    answer = Settle(*recorded,
                    parts_.submitter->ExtendForUser(
                        {job.owner, job.owner_uid}, job.slurm_id, job.id,
                        recorded->row.to, request_id),
                    request_id);
  }
  EndAct(id);
  if (recorded.ok()) parts_.scheduler->LookAt(recorded->job.slurm_id);
  return answer;
}

absl::StatusOr<Job> Extensions::Settle(const Recorded& recorded,
                                       const absl::Status& answer,
                                       const std::string& request_id) {
  LogInfo("job extended",
          {{"request", request_id},
           {"user", recorded.job.owner},
           {"job", recorded.job.id.value()},
           {"slurm_job", recorded.job.slurm_id.value()},
           {"walltime_min", absl::ToInt64Minutes(recorded.row.to)},
           {"result", answer.ToString()}});
  if (answer.ok()) {
    // Where this is not written it is seen in Slurm, and written then.
    const absl::Status written = Done(recorded.row);
    if (!written.ok()) {
      LogWarning("extension's end not written",
                 {{"request", request_id}, {"error", written.ToString()}});
    }
    return parts_.live->Find(recorded.job.id).value_or(recorded.job);
  }
  // Slurm may still have the question of an earlier call, and do it.
  if (recorded.fresh && IsDefiniteNo(answer.code())) {
    const absl::Status written = Undone(recorded.row);
    if (!written.ok()) {
      LogWarning("refused extension not taken back",
                 {{"request", request_id}, {"error", written.ToString()}});
    }
    return ShownActError(answer);
  }
  return absl::UnavailableError(
      "it is not known yet whether Slurm has done it: look again in a minute");
}

absl::Status Extensions::Done(const ExtensionRow& row) {
  const absl::Time now = parts_.clock->Now();
  parts_.live->Change(row.job, [&](LiveJob& live) {
    // What was changed behind our back since then is seen at the next look.
    live.changed_at = std::max(live.changed_at, now);
    live.job.spec.walltime = row.to;
    if (live.job.started_at) live.job.ends_at = *live.job.started_at + row.to;
  });
  // Until the new end is in the table the promise is what counts.
  RETURN_IF_ERROR(AwaitRecord(row.job));
  const auto close = [&](Database& db) -> absl::Status {
    RETURN_IF_ERROR(Settled(db, row.job));
    return MarkExtensionDone(db, row.id);
  };
  RETURN_IF_ERROR(parts_.database->Transact(close));
  absl::MutexLock lock(&mutex_);
  open_.erase(row.job);
  return absl::OkStatus();
}

absl::Status Extensions::Undone(const ExtensionRow& row) {
  parts_.live->Change(row.job, [&](LiveJob& live) {
    if (live.job.spec.walltime == row.to) live.job.spec.walltime = row.from;
  });
  // An earlier extension may only just be in the record.
  RETURN_IF_ERROR(AwaitRecord(row.job));
  const std::optional<Job> job = parts_.live->Find(row.job);
  const auto take_back = [&](Database& db) -> absl::Status {
    if (job) RETURN_IF_ERROR(WriteSpec(db, row.job, job->spec));
    RETURN_IF_ERROR(Settled(db, row.job));
    return RemoveExtension(db, row.id);
  };
  RETURN_IF_ERROR(parts_.database->Transact(take_back));
  absl::MutexLock lock(&mutex_);
  open_.erase(row.job);
  return absl::OkStatus();
}

absl::Status Extensions::Settled(Database& db, const JobId& id) const {
  if (!parts_.quotas.settle) return absl::OkStatus();
  return parts_.quotas.settle(db, id);
}

absl::Status Extensions::AwaitRecord(const JobId& id) const {
  const auto newest = parts_.live->Change(id, [](LiveJob&) {});
  if (!newest) return absl::OkStatus();
  return parts_.live->Wait(newest->ticket);
}

void Extensions::Look(const SlurmSnapshot& snapshot) {
  if (!snapshot.reachable) return;
  std::vector<ExtensionRow> open;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, row] : open_) {
      if (!under_way_.contains(id)) open.push_back(row);
    }
  }
  for (const ExtensionRow& row : open) {
    const std::optional<Job> job = parts_.live->Find(row.job);
    const auto seen =
        job ? snapshot.jobs.find(job->slurm_id) : snapshot.jobs.end();
    const bool has_it = seen != snapshot.jobs.end() &&
                        seen->second.walltime.value_or(row.from) >= row.to;
    if (!has_it && job && !HasEnded(*job) &&
        snapshot.asked_at <= row.asked_at + kGrace) {
      continue;
    }
    // Nobody may begin one meanwhile.
    if (!BeginAct(row.job)) continue;
    const absl::Status settled = has_it ? Done(row) : Undone(row);
    EndAct(row.job);
    LogInfo("extension found out",
            {{"job", row.job.value()},
             {"walltime_min", absl::ToInt64Minutes(row.to)},
             {"done", has_it},
             {"written", settled.ToString()}});
  }
}

bool Extensions::BeginAct(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  return under_way_.insert(id).second;
}

void Extensions::EndAct(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  under_way_.erase(id);
}

}  // namespace carme
