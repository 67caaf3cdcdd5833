#include "backend/jobs/lifecycle/extensions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/notifications/event.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// An earlier question to Slurm has had its effect by then, or has none.
constexpr absl::Duration kGrace = absl::Seconds(60);
constexpr absl::Duration kBetweenTries = absl::Seconds(10);
constexpr int64_t kMaxOfJob = 100;
// What one call waits for another one with its key.
constexpr absl::Duration kLongestCall = absl::Seconds(15);

std::optional<TresCounts> TresOf(const SlurmSize& size) {
  if (size.nodes == 0) return std::nullopt;
  TresCounts counts = {{"node", size.nodes},
                       {"cpu", size.cpus},
                       {"mem", static_cast<uint64_t>(size.memory_mib)}};
  if (!size.gpus) return counts;
  for (const auto& [type, count] : *size.gpus) {
    counts["gres/gpu"] += static_cast<uint64_t>(count);
    counts[absl::StrCat("gres/gpu:", type)] = static_cast<uint64_t>(count);
  }
  return counts;
}

// `cluster` must outlive `question`.
void AddCluster(const SlurmSnapshot& cluster, const Job& job, absl::Time now,
                ExtensionQuestion* question) {
  question->partition = PartitionNamed(cluster, job.spec.partition);
  const auto seen = cluster.jobs.find(job.slurm_id);
  if (!cluster.enforcement.limits || cluster.accounting == nullptr ||
      seen == cluster.jobs.end()) {
    return;
  }
  const SlurmJob& slurm = seen->second;
  question->accounting = cluster.accounting.get();
  question->slurm_job = {
      .account = slurm.account,
      .uid = slurm.uid,
      .partition = slurm.partition,
      .qos = slurm.qos,
      .walltime = job.spec.walltime,
      .remaining = std::max(absl::ZeroDuration(), slurm.ends_at - now),
      .tres = TresOf(slurm.size)};
  if (const SlurmPartition* own = PartitionNamed(cluster, slurm.partition)) {
    question->slurm_job.partition_qos = own->qos;
  }
}

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

Extensions::Extensions(Parts parts)
    : parts_(std::move(parts)), thread_([this] { Run(); }) {}

Extensions::~Extensions() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  thread_.join();
}

absl::Status Extensions::Load() {
  std::vector<ExtensionRow> rows;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(rows, OpenExtensions(db));
    return absl::OkStatus();
  }));
  for (const ExtensionRow& row : rows) {
    // The table has what was promised; Slurm has less.
    parts_.live->Change(row.job, [&](LiveJob& live) {
      if (live.job.spec.walltime == row.to) live.job.spec.walltime = row.from;
    });
    ShowPending(row);
    absl::MutexLock lock(&mutex_);
    open_[row.job] = row;
  }
  return absl::OkStatus();
}

std::optional<Job> Extensions::ShowPending(const ExtensionRow& row) {
  const auto changed = parts_.live->Change(row.job, [&](LiveJob& live) {
    const absl::Duration more = row.to - live.job.spec.walltime;
    live.job.pending_extension.reset();
    if (more > absl::ZeroDuration()) live.job.pending_extension = more;
  });
  if (!changed) return std::nullopt;
  return changed->job;
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
      job.pending_extension || !CheckMayBeExtended(job).ok()) {
    return absl::ZeroDuration();
  }
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  absl::StatusOr<ExtensionQuestion> question = QuestionOf(caller.role, job);
  if (!question.ok()) return absl::ZeroDuration();
  AddCluster(*cluster, job, parts_.clock->Now(), &*question);
  return carme::backend::ExtendableBy(*question);
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
  const auto record = [&](Database& db) -> absl::Status {
    absl::StatusOr<Recorded> in = RecordIn(db, question, id, by, key, quota);
    refused = in.status();
    RETURN_IF_ERROR(refused);
    recorded = *std::move(in);
    return absl::OkStatus();
  };
  absl::Status written = parts_.database->Transact(record);
  if (absl::IsPermissionDenied(refused) && RefreshLimits()) {
    written = parts_.database->Transact(record);
  }
  RETURN_IF_ERROR(refused);
  RETURN_IF_ERROR(written);
  if (recorded.done) return recorded;
  absl::MutexLock lock(&mutex_);
  open_[id] = recorded.row;
  return recorded;
}

// The partition, or a limit of Slurm's, may have changed since it was read.
bool Extensions::RefreshLimits() {
  Scheduler& scheduler = *parts_.scheduler;
  if (!scheduler.RefreshResources(kRefreshPatience)) return false;
  return !scheduler.Snapshot()->enforcement.limits ||
         scheduler.RefreshAccounting(kRefreshPatience);
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
  if (earlier && earlier->to - earlier->from != by) {
    return absl::AlreadyExistsError(
        "the idempotency key was used for another extension: expected a new "
        "key");
  }
  if (earlier) return Recorded{*earlier, *job, earlier->done};
  ASSIGN_OR_RETURN(const auto open, OpenExtension(db, id));
  if (open) {
    return absl::UnavailableError(
        "another extension of the job is under way: try again");
  }
  RETURN_IF_ERROR(CheckMayBeExtended(*job));
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  question.walltime = job->spec.walltime;
  AddCluster(*cluster, *job, parts_.clock->Now(), &question);
  RETURN_IF_ERROR(CheckExtension(question, by));
  ASSIGN_OR_RETURN(const int64_t count, CountExtensions(db, id));
  if (count >= kMaxOfJob) {
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
  if (!BeginCall(id, key)) {
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
  // Slurm may still have the question of an earlier call, and do it. One that
  // it could not be asked stays recorded: Look() asks it when Slurm responds.
  if (recorded.fresh && IsDefiniteNo(answer.code()) &&
      !absl::IsUnavailable(answer)) {
    const absl::Status written = Undone(recorded.row, "");
    if (!written.ok()) {
      // It is taken back by a later look, and not asked for again.
      absl::MutexLock lock(&mutex_);
      refused_.insert(recorded.row.id);
      LogWarning("refused extension not taken back",
                 {{"request", request_id}, {"error", written.ToString()}});
    }
    return ShownActError(answer);
  }
  return ShowPending(recorded.row).value_or(recorded.job);
}

absl::Status Extensions::Done(const ExtensionRow& row) {
  const absl::Time now = parts_.clock->Now();
  parts_.live->Change(row.job, [&](LiveJob& live) {
    // What was changed behind our back since then is seen at the next look.
    live.changed_at = std::max(live.changed_at, now);
    live.job.spec.walltime = row.to;
    live.job.pending_extension.reset();
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
  tried_at_.erase(row.job);
  refused_.erase(row.id);
  return absl::OkStatus();
}

absl::Status Extensions::Undone(const ExtensionRow& row,
                                const std::string& why) {
  parts_.live->Change(row.job, [&](LiveJob& live) {
    live.job.pending_extension.reset();
    if (live.job.spec.walltime == row.to) live.job.spec.walltime = row.from;
  });
  // An earlier extension may only just be in the record.
  RETURN_IF_ERROR(AwaitRecord(row.job));
  const std::optional<Job> job = parts_.live->Find(row.job);
  const auto take_back = [&](Database& db) -> absl::Status {
    if (job) RETURN_IF_ERROR(WriteSpec(db, row.job, job->spec));
    RETURN_IF_ERROR(Settled(db, row.job));
    RETURN_IF_ERROR(RemoveExtension(db, row.id));
    if (why.empty() || !job || HasEnded(*job)) return absl::OkStatus();
    // Its user was shown it as recorded.
    return PostEvent(
        db,
        {.uid = job->owner_uid,
         .kind = EventKind::kJobEndsSoon,
         .subject = row.job.value(),
         .text = absl::StrCat(
             "Your job \"", job->spec.name, "\" was not extended by ",
             absl::ToInt64Minutes(row.to - row.from), " min: ", why, "."),
         .key = absl::StrCat("extension-", row.id)},
        parts_.clock->Now());
  };
  RETURN_IF_ERROR(parts_.database->Transact(take_back));
  absl::MutexLock lock(&mutex_);
  open_.erase(row.job);
  tried_at_.erase(row.job);
  refused_.erase(row.id);
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
    if (!has_it && job && !HasEnded(*job) && !IsRefused(row)) {
      ShowPending(row);
      if (seen != snapshot.jobs.end() &&
          AskedAt(snapshot, job->slurm_id) > row.asked_at) {
        AskAgain(row);
      }
      continue;
    }
    // Nobody may begin one meanwhile.
    if (!BeginAct(row.job)) continue;
    const absl::Status settled = has_it ? Done(row) : Undone(row, "");
    EndAct(row.job);
    LogInfo("extension found out",
            {{"job", row.job.value()},
             {"walltime_min", absl::ToInt64Minutes(row.to)},
             {"done", has_it},
             {"written", settled.ToString()}});
  }
}

bool Extensions::IsRefused(const ExtensionRow& row) {
  absl::MutexLock lock(&mutex_);
  return refused_.contains(row.id);
}

void Extensions::AskAgain(const ExtensionRow& row) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = parts_.clock->Now();
  absl::Time& last = tried_at_[row.job];
  // A clock that was put back holds up nothing.
  if (last <= now && now - last < kBetweenTries) return;
  last = now;
  wishes_.insert_or_assign(row.job, row);
}

void Extensions::Run() {
  absl::MutexLock lock(&mutex_);
  const auto wanted = [this] { return stop_ || !wishes_.empty(); };
  while (true) {
    mutex_.Await(absl::Condition(&wanted));
    if (stop_) return;
    const ExtensionRow row = wishes_.extract(wishes_.begin()).mapped();
    const auto open = open_.find(row.job);
    const bool is_open = open != open_.end() && open->second.id == row.id;
    if (!is_open || !under_way_.insert(row.job).second) continue;
    mutex_.Unlock();
    MakeRecorded(row);
    mutex_.Lock();
    under_way_.erase(row.job);
  }
}

void Extensions::MakeRecorded(const ExtensionRow& row) {
  const std::optional<Job> job = parts_.live->Find(row.job);
  if (!job || HasEnded(*job)) return;  // Look() takes it back
  const std::string request_id = NewRequestId();
  const absl::Status answer = parts_.submitter->ExtendForUser(
      {job->owner, job->owner_uid}, job->slurm_id, job->id, row.to, request_id);
  LogInfo("recorded extension sent to slurm",
          {{"request", request_id},
           {"user", job->owner},
           {"job", job->id.value()},
           {"slurm_job", job->slurm_id.value()},
           {"walltime_min", absl::ToInt64Minutes(row.to)},
           {"result", answer.ToString()}});
  absl::Status settled;
  if (answer.ok()) {
    settled = Done(row);
  } else if ((absl::IsFailedPrecondition(answer) ||
              absl::IsPermissionDenied(answer)) &&
             parts_.clock->Now() > row.asked_at + kGrace) {
    settled = Undone(row, std::string(answer.message()));
  }
  if (!settled.ok()) {
    LogWarning("extension's end not written",
               {{"request", request_id}, {"error", settled.ToString()}});
  }
  parts_.scheduler->LookAt(job->slurm_id);
}

bool Extensions::BeginAct(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  return under_way_.insert(id).second;
}

bool Extensions::BeginCall(const JobId& id, const std::string& key) {
  absl::MutexLock lock(&mutex_);
  const auto over = [&] { return !under_way_.contains(id); };
  const auto other = keys_under_way_.find(id);
  const bool is_same = other == keys_under_way_.end() ||
                       (!key.empty() && other->second == key);
  // Without a key it is this object's own: it asks Slurm again.
  if (is_same) mutex_.AwaitWithTimeout(absl::Condition(&over), kLongestCall);
  if (!under_way_.insert(id).second) return false;
  keys_under_way_[id] = key;
  return true;
}

void Extensions::EndAct(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  under_way_.erase(id);
  keys_under_way_.erase(id);
}

}  // namespace carme::backend
