#include "backend/jobs/lifecycle/extensions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/notifications/event.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// An earlier request to Slurm has been applied or lost by then.
constexpr absl::Duration kGrace = absl::Seconds(60);
constexpr absl::Duration kBetweenTries = absl::Seconds(10);
constexpr int64_t kMaxOfJob = 100;
// How long a call waits for another one with its key.
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

// `cluster` must outlive `input`.
void AddCluster(const SlurmSnapshot& cluster, const Job& job, absl::Time now,
                ExtensionInput* input) {
  input->partition = PartitionNamed(cluster, job.spec.partition);
  const auto seen = cluster.jobs.find(job.slurm_id);
  if (!cluster.enforcement.limits || cluster.accounting == nullptr ||
      seen == cluster.jobs.end()) {
    return;
  }
  const SlurmJob& slurm = seen->second;
  input->accounting = cluster.accounting.get();
  input->slurm_job = {
      .account = slurm.account,
      .uid = slurm.uid,
      .partition = slurm.partition,
      .qos = slurm.qos,
      .walltime = job.spec.walltime,
      .remaining = std::max(absl::ZeroDuration(), slurm.ends_at - now),
      .tres = TresOf(slurm.size)};
  if (const SlurmPartition* own = PartitionNamed(cluster, slurm.partition)) {
    input->slurm_job.partition_qos = own->qos;
  }
}

}  // namespace

absl::Status CheckMayBeExtended(const Job& job) {
  if (!IsRunning(job) || !InSlurm(job) || !job.started_at) {
    return MakeError(job_lifecycle_messages::kNotRunning);
  }
  if (job.spec.batch && !job.spec.batch->array.empty()) {
    return MakeError(job_lifecycle_messages::kArrayNotExtended);
  }
  for (const JobApp& app : job.apps) {
    if (app.id == kStageOut && app.state == v1::JOB_APP_STATE_STARTING) {
      return MakeError(job_lifecycle_messages::kCopiesResults);
    }
  }
  return absl::OkStatus();
}

Extensions::Extensions(Parts parts) : parts_(std::move(parts)) {}

absl::Status Extensions::Load() {
  std::vector<ExtensionRow> rows;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(rows, OpenExtensions(db));
    return absl::OkStatus();
  }));
  for (const ExtensionRow& row : rows) {
    // The database has the recorded walltime; Slurm has less.
    parts_.active->Change(row.job, [&](ActiveJob& active) {
      if (active.job.spec.walltime == row.to)
        active.job.spec.walltime = row.from;
    });
    ShowPending(row);
    absl::MutexLock lock(&mutex_);
    open_[row.job] = row;
  }
  return absl::OkStatus();
}

std::optional<Job> Extensions::ShowPending(const ExtensionRow& row) {
  const auto changed = parts_.active->Change(row.job, [&](ActiveJob& active) {
    const absl::Duration more = row.to - active.job.spec.walltime;
    active.job.pending_extension.reset();
    if (more > absl::ZeroDuration()) active.job.pending_extension = more;
  });
  if (!changed) return std::nullopt;
  return changed->job;
}

absl::StatusOr<ExtensionInput> Extensions::BuildExtensionInput(
    Role role, const Job& job) const {
  ExtensionInput input{.walltime = job.spec.walltime,
                       .site_longest = parts_.config->life.longest_walltime,
                       .role = role,
                       .limits = parts_.config->LimitsOf(role)};
  // The quotas have the rule that applies, which may allow more than the role.
  if (parts_.quotas != nullptr)
    input.limits.max_walltime = absl::ZeroDuration();
  if (parts_.templates != nullptr && !job.spec.job_template.empty()) {
    absl::StatusOr<JobTemplate> found =
        parts_.templates->Find(job.spec.job_template);
    if (!found.ok()) {
      // Without the template fewer limits would be checked.
      LogError("a job's template not known",
               {{"job", job.id.value()},
                {"template", job.spec.job_template},
                {"error", StatusText(found.status())}});
      return MakeError(job_lifecycle_messages::kTemplateUnavailable);
    }
    input.job_template = *std::move(found);
  }
  if (IsLinkedJob(job)) {
    const std::optional<Job> joined =
        parts_.active->Find(JobId(job.spec.linked_to));
    input.joined_longest = absl::ZeroDuration();
    if (joined && joined->ends_at && job.started_at) {
      input.joined_longest = *joined->ends_at - *job.started_at;
    }
  }
  return input;
}

absl::Duration Extensions::ExtendableBy(const Session& caller,
                                        const Job& job) const {
  if (parts_.config->life.longest_walltime <= absl::ZeroDuration() ||
      job.pending_extension || !CheckMayBeExtended(job).ok()) {
    return absl::ZeroDuration();
  }
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  absl::StatusOr<ExtensionInput> input = BuildExtensionInput(caller.role, job);
  if (!input.ok()) return absl::ZeroDuration();
  AddCluster(*cluster, job, parts_.clock->Now(), &*input);
  return carme::backend::ExtendableBy(*input);
}

absl::Time Extensions::LatestEnd(const Job& job, absl::Time end) const {
  if (!job.started_at || job.spec.batch) return end;
  return std::max(end, *job.started_at + parts_.config->life.longest_walltime);
}

absl::StatusOr<Extensions::Recorded> Extensions::Record(
    const Session& caller, const JobId& id, absl::Duration by,
    const std::string& key) {
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job) {
    return MakeError(job_lifecycle_messages::kNotRunning);
  }
  ASSIGN_OR_RETURN(const ExtensionInput input,
                   BuildExtensionInput(caller.role, *job));
  ExtensionQuotas::InTransaction quota;
  if (parts_.quotas != nullptr) {
    quota = parts_.quotas->Reserve(caller, *job, by);
  }
  if (const absl::Status current = AwaitRecord(id); !current.ok()) {
    return absl::InternalError(
        absl::StrCat("the job's record is behind: ", StatusText(current)));
  }
  Recorded recorded;
  absl::Status refused;
  const auto record = [&](Database& db) -> absl::Status {
    absl::StatusOr<Recorded> in = RecordIn(db, input, id, by, key, quota);
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

// The partition, or a limit of Slurm, may have changed since it was read.
bool Extensions::RefreshLimits() {
  Scheduler& scheduler = *parts_.scheduler;
  if (!scheduler.RefreshResources(kRefreshTimeout)) return false;
  return !scheduler.Snapshot()->enforcement.limits ||
         scheduler.RefreshAccounting(kRefreshTimeout);
}

absl::StatusOr<Extensions::Recorded> Extensions::RecordIn(
    Database& db, ExtensionInput input, const JobId& id, absl::Duration by,
    const std::string& key, const ExtensionQuotas::InTransaction& quota) {
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job) {
    return MakeError(job_lifecycle_messages::kNotRunning);
  }
  ASSIGN_OR_RETURN(const auto earlier, FindExtension(db, id, key));
  if (earlier && earlier->to - earlier->from != by) {
    return MakeError(job_lifecycle_messages::kExtensionKeyUsed);
  }
  if (earlier) return Recorded{*earlier, *job, earlier->done};
  ASSIGN_OR_RETURN(const auto open, OpenExtension(db, id));
  if (open) {
    return MakeError(job_lifecycle_messages::kExtensionInProgress);
  }
  RETURN_IF_ERROR(CheckMayBeExtended(*job));
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  input.walltime = job->spec.walltime;
  AddCluster(*cluster, *job, parts_.clock->Now(), &input);
  RETURN_IF_ERROR(CheckExtension(input, by));
  ASSIGN_OR_RETURN(const int64_t count, CountExtensions(db, id));
  if (count >= kMaxOfJob) {
    return MakeError(job_lifecycle_messages::kTooManyExtensions,
                     {{"extensions", count}});
  }
  if (quota) RETURN_IF_ERROR(quota(db));
  ExtensionRow row{.job = id,
                   .key = key,
                   .from = job->spec.walltime,
                   .to = job->spec.walltime + by,
                   .asked_at = parts_.clock->Now()};
  ASSIGN_OR_RETURN(row.id, InsertExtension(db, row));
  // A recorded extension counts for every check.
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
    return MakeError(job_lifecycle_messages::kExtensionInProgress);
  }
  absl::StatusOr<Job> answer;
  const absl::StatusOr<Recorded> recorded = Record(caller, id, by, key);
  if (!recorded.ok()) {
    const absl::StatusCode code = recorded.status().code();
    const bool hidden = code == absl::StatusCode::kInternal ||
                        code == absl::StatusCode::kUnknown;
    answer = hidden ? HideError(recorded.status(), request_id,
                                job_lifecycle_messages::kExtensionNotRecorded)
                    : recorded.status();
  } else if (recorded->done) {
    answer = recorded->job;
  } else {
    const Job& job = recorded->job;
    answer = ApplyResult(*recorded,
                         parts_.submitter->ExtendForUser(
                             {job.owner, job.owner_uid}, job.slurm_id, job.id,
                             recorded->row.to, request_id),
                         request_id);
  }
  EndOperation(id);
  if (recorded.ok()) parts_.scheduler->RefreshJob(recorded->job.slurm_id);
  return answer;
}

absl::StatusOr<Job> Extensions::ApplyResult(const Recorded& recorded,
                                            const absl::Status& answer,
                                            const std::string& request_id) {
  LogInfo("job extended",
          {{"request", request_id},
           {"user", recorded.job.owner},
           {"job", recorded.job.id.value()},
           {"slurm_job", recorded.job.slurm_id.value()},
           {"walltime_min", absl::ToInt64Minutes(recorded.row.to)},
           {"result", StatusText(answer)}});
  if (answer.ok()) {
    // If this write fails, the end is observed in Slurm and written then.
    const absl::Status written = MarkDone(recorded.row);
    if (!written.ok()) {
      LogWarning("extension's end not written",
                 {{"request", request_id}, {"error", StatusText(written)}});
    }
    return parts_.active->Find(recorded.job.id).value_or(recorded.job);
  }
  // Slurm may still have the request of an earlier call, and apply it. A
  // request that was not sent stays recorded: OnPoll() sends it when Slurm
  // responds.
  if (recorded.fresh && IsPermanentRejection(answer.code()) &&
      !absl::IsUnavailable(answer)) {
    const absl::Status written = Revert(recorded.row, "");
    if (!written.ok()) {
      // A later poll reverts it; it is not sent again.
      absl::MutexLock lock(&mutex_);
      refused_.insert(recorded.row.id);
      LogWarning("reverting a rejected extension failed",
                 {{"request", request_id}, {"error", StatusText(written)}});
    }
    return ClientOperationError(answer);
  }
  return ShowPending(recorded.row).value_or(recorded.job);
}

absl::Status Extensions::MarkDone(const ExtensionRow& row) {
  const absl::Time now = parts_.clock->Now();
  parts_.active->Change(row.job, [&](ActiveJob& active) {
    // Other changes since then are observed at the next poll.
    active.changed_at = std::max(active.changed_at, now);
    active.job.spec.walltime = row.to;
    active.job.pending_extension.reset();
    if (active.job.started_at)
      active.job.ends_at = *active.job.started_at + row.to;
  });
  // Until the new end is in the database the recorded extension counts.
  RETURN_IF_ERROR(AwaitRecord(row.job));
  const auto close = [&](Database& db) -> absl::Status {
    RETURN_IF_ERROR(CompleteQuota(db, row.job));
    return MarkExtensionDone(db, row.id);
  };
  RETURN_IF_ERROR(parts_.database->Transact(close));
  absl::MutexLock lock(&mutex_);
  open_.erase(row.job);
  tried_at_.erase(row.job);
  refused_.erase(row.id);
  return absl::OkStatus();
}

absl::Status Extensions::Revert(const ExtensionRow& row,
                                const std::string& why) {
  parts_.active->Change(row.job, [&](ActiveJob& active) {
    active.job.pending_extension.reset();
    if (active.job.spec.walltime == row.to) active.job.spec.walltime = row.from;
  });
  // An earlier extension may only just have been recorded.
  RETURN_IF_ERROR(AwaitRecord(row.job));
  const std::optional<Job> job = parts_.active->Find(row.job);
  const auto take_back = [&](Database& db) -> absl::Status {
    if (job) RETURN_IF_ERROR(WriteSpec(db, row.job, job->spec));
    RETURN_IF_ERROR(CompleteQuota(db, row.job));
    RETURN_IF_ERROR(RemoveExtension(db, row.id));
    if (why.empty() || !job || HasEnded(*job)) return absl::OkStatus();
    // The user saw it as recorded.
    return PostEvent(
        db,
        {.uid = job->owner_uid,
         .kind = v1::NOTIFICATION_KIND_JOB_ENDS_SOON,
         .subject = row.job.value(),
         .text = MakeText(job_lifecycle_messages::kNotExtended,
                          {{"job", job->spec.name},
                           {"minutes", absl::ToInt64Minutes(row.to - row.from)},
                           {"cause", why}}),
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

absl::Status Extensions::CompleteQuota(Database& db, const JobId& id) const {
  if (parts_.quotas == nullptr) return absl::OkStatus();
  return parts_.quotas->Complete(db, id);
}

absl::Status Extensions::AwaitRecord(const JobId& id) const {
  const auto newest = parts_.active->Change(id, [](ActiveJob&) {});
  if (!newest) return absl::OkStatus();
  return parts_.active->Wait(newest->ticket);
}

void Extensions::OnPoll(const SlurmSnapshot& snapshot) {
  if (!snapshot.reachable) return;
  std::vector<ExtensionRow> open;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, row] : open_) {
      if (!in_flight_.contains(id)) open.push_back(row);
    }
  }
  for (const ExtensionRow& row : open) {
    const std::optional<Job> job = parts_.active->Find(row.job);
    const auto seen =
        job ? snapshot.jobs.find(job->slurm_id) : snapshot.jobs.end();
    const bool has_it = seen != snapshot.jobs.end() &&
                        seen->second.walltime.value_or(row.from) >= row.to;
    if (!has_it && job && !HasEnded(*job) && !IsRefused(row)) {
      ShowPending(row);
      if (seen != snapshot.jobs.end() &&
          AskedAt(snapshot, job->slurm_id) > row.asked_at) {
        Retry(row);
      }
      continue;
    }
    // No other call may begin one meanwhile.
    if (!BeginOperation(row.job)) continue;
    const absl::Status settled = has_it ? MarkDone(row) : Revert(row, "");
    EndOperation(row.job);
    LogInfo("extension found out",
            {{"job", row.job.value()},
             {"walltime_min", absl::ToInt64Minutes(row.to)},
             {"done", has_it},
             {"written", StatusText(settled)}});
  }
}

bool Extensions::IsRefused(const ExtensionRow& row) {
  absl::MutexLock lock(&mutex_);
  return refused_.contains(row.id);
}

void Extensions::Retry(const ExtensionRow& row) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = parts_.clock->Now();
  absl::Time& last = tried_at_[row.job];
  // A clock that was set back must not delay retries.
  if (last <= now && now - last < kBetweenTries) return;
  last = now;
  to_retry_.insert_or_assign(row.job, row);
  thread_.Wake();
}

absl::Duration Extensions::RetryNext() {
  std::map<JobId, ExtensionRow>::node_type next;
  {
    absl::MutexLock lock(&mutex_);
    if (to_retry_.empty()) return absl::InfiniteDuration();
    next = to_retry_.extract(to_retry_.begin());
    const ExtensionRow& row = next.mapped();
    const auto open = open_.find(row.job);
    const bool is_open = open != open_.end() && open->second.id == row.id;
    if (!is_open || !in_flight_.insert(row.job).second) {
      return absl::ZeroDuration();
    }
  }
  ApplyRecorded(next.mapped());
  EndOperation(next.mapped().job);
  return absl::ZeroDuration();
}

void Extensions::ApplyRecorded(const ExtensionRow& row) {
  const std::optional<Job> job = parts_.active->Find(row.job);
  if (!job || HasEnded(*job)) return;  // OnPoll() reverts it
  const std::string request_id = NewRequestId();
  const absl::Status answer = parts_.submitter->ExtendForUser(
      {job->owner, job->owner_uid}, job->slurm_id, job->id, row.to, request_id);
  LogInfo("recorded extension sent to slurm",
          {{"request", request_id},
           {"user", job->owner},
           {"job", job->id.value()},
           {"slurm_job", job->slurm_id.value()},
           {"walltime_min", absl::ToInt64Minutes(row.to)},
           {"result", StatusText(answer)}});
  absl::Status settled;
  if (answer.ok()) {
    settled = MarkDone(row);
  } else if ((absl::IsFailedPrecondition(answer) ||
              absl::IsPermissionDenied(answer)) &&
             parts_.clock->Now() > row.asked_at + kGrace) {
    settled = Revert(row, std::string(answer.message()));
  }
  if (!settled.ok()) {
    LogWarning("extension's end not written",
               {{"request", request_id}, {"error", StatusText(settled)}});
  }
  parts_.scheduler->RefreshJob(job->slurm_id);
}

bool Extensions::BeginOperation(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  return in_flight_.insert(id).second;
}

bool Extensions::BeginCall(const JobId& id, const std::string& key) {
  absl::MutexLock lock(&mutex_);
  const auto over = [&] { return !in_flight_.contains(id); };
  const auto other = keys_in_flight_.find(id);
  const bool is_same =
      other == keys_in_flight_.end() || (!key.empty() && other->second == key);
  // A retry without a key: it asks Slurm again.
  if (is_same) mutex_.AwaitWithTimeout(absl::Condition(&over), kLongestCall);
  if (!in_flight_.insert(id).second) return false;
  keys_in_flight_[id] = key;
  return true;
}

void Extensions::EndOperation(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  in_flight_.erase(id);
  keys_in_flight_.erase(id);
}

}  // namespace carme::backend
