#include "backend/jobs/lifecycle/limit_enforcer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/model/job_time.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/notifications/event.h"
#include "backend/policy/limits/quota.h"
#include "backend/policy/limits/template_limits.h"
#include "backend/policy/spec/limit_source.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

bool IsOther(const std::string& before, const std::string& after) {
  return !before.empty() && before != after;
}

// Limits for tasks and jobs per day are checked at submission, and an update
// cannot exceed them; more tasks of an array may run at once.
bool IsAboutUpdates(const Violation& violation, const Job& job,
                    bool checks_time) {
  for (const QuotaMetric metric :
       {v1::LIMIT_METRIC_QUEUED_JOBS, v1::LIMIT_METRIC_JOBS_PER_DAY}) {
    if (violation.limit == LimitName(metric)) return false;
  }
  if (violation.limit == LimitName(v1::LIMIT_METRIC_WALLTIME))
    return checks_time;
  return violation.limit != LimitName(v1::LIMIT_METRIC_JOBS) || IsArray(job);
}

DisplayText ViolationsText(const std::vector<Violation>& violations) {
  std::vector<DisplayText> messages;
  for (const Violation& violation : violations) {
    messages.push_back(violation.message);
  }
  return JoinTexts(messages);
}

const SlurmPartition* FindPartition(const SlurmSnapshot& cluster,
                                    const std::string& name) {
  for (const SlurmPartition& partition : cluster.partitions) {
    if (partition.name == name) return &partition;
  }
  return nullptr;
}

constexpr absl::Duration kFirstHoldPause = absl::Seconds(20);
constexpr int kMaxDoublings = 6;

// Whether it is in another partition, QOS or account.
bool HasMoved(const SlurmPlace& before, const SlurmPlace& after) {
  return IsOther(before.partition, after.partition) ||
         (!after.qos.empty() && before.qos != after.qos) ||
         IsOther(before.account, after.account);
}

SlurmPlace PlaceOf(const Job& job) {
  return {.partition = job.spec.partition,
          .qos = job.spec.qos,
          .account = job.account};
}

// Whether an active task is in a place where no task was before.
bool HasNewPlace(const Job& before, const Job& after) {
  std::vector<SlurmPlace> known = before.places;
  if (known.empty()) known.push_back(PlaceOf(before));
  return std::any_of(
      after.places.begin(), after.places.end(), [&](const SlurmPlace& place) {
        return std::all_of(
            known.begin(), known.end(),
            [&](const SlurmPlace& was) { return HasMoved(was, place); });
      });
}

bool Waits(const Job& job) { return job.state == v1::JOB_STATE_PENDING; }

}  // namespace

bool HasGrown(const Job& before, const Job& after) {
  const JobUse was = UseOf(before.spec), is = UseOf(after.spec);
  return is.nodes > was.nodes || is.gpus > was.gpus ||
         is.at_once > was.at_once ||
         after.spec.cpus_per_node > before.spec.cpus_per_node ||
         after.spec.memory_per_node_mib > before.spec.memory_per_node_mib ||
         IsOther(before.spec.gpu_type, after.spec.gpu_type) ||
         IsOther(before.spec.reservation, after.spec.reservation) ||
         HasMoved(PlaceOf(before), PlaceOf(after)) ||
         HasNewPlace(before, after);
}

bool IsLonger(const Job& before, const Job& after) {
  const bool waited = before.state == v1::JOB_STATE_SUBMITTING || Waits(before);
  return waited && after.spec.walltime > before.spec.walltime;
}

void LimitEnforcer::Check(const JobId& id, bool is_longer) {
  {
    absl::MutexLock lock(&mutex_);
    wanted_.insert(id);
    if (is_longer) longer_.insert(id);
  }
  thread_.Wake();
}

void LimitEnforcer::CheckSubmitted(const JobId& id) {
  {
    absl::MutexLock lock(&mutex_);
    submitted_.insert(id);
  }
  thread_.Wake();
}

bool LimitEnforcer::ChecksTime(const Job& job) {
  absl::MutexLock lock(&mutex_);
  return job.over_limit.has_value() || longer_.contains(job.id);
}

void LimitEnforcer::OnPoll() {
  const absl::Time now = parts_.clock->Now();
  {
    absl::MutexLock lock(&mutex_);
    if (now - checked_at_ < parts_.check_every && now >= checked_at_) return;
    checked_at_ = now;
  }
  std::set<JobId> exceeding, alive;
  parts_.active->ForEach([&](const Job& job) {
    if (HasEnded(job)) return;
    alive.insert(job.id);
    if (job.over_limit) exceeding.insert(job.id);
  });
  absl::MutexLock lock(&mutex_);
  wanted_.insert(exceeding.begin(), exceeding.end());
  std::erase_if(longer_, [&](const JobId& id) { return !alive.contains(id); });
  std::erase_if(
      holds_, [&](const auto& row) { return !exceeding.contains(row.first); });
  thread_.Wake();
}

absl::Duration LimitEnforcer::CheckNext() {
  JobId id;
  bool is_submitted = false;
  {
    absl::MutexLock lock(&mutex_);
    is_submitted = !submitted_.empty();
    std::set<JobId>& from = is_submitted ? submitted_ : wanted_;
    if (from.empty()) return absl::InfiniteDuration();
    id = from.extract(from.begin()).value();
  }
  if (!is_submitted) {
    CheckNow(id);
  } else if (const std::optional<Job> job = parts_.active->Find(id)) {
    CheckSubmittedNow(*job);
  }
  return absl::ZeroDuration();
}

void LimitEnforcer::CheckSubmittedNow(const Job& job) {
  if (HasEnded(job) || job.state == v1::JOB_STATE_STOPPING) return;
  std::vector<Violation> violations;
  const absl::Status checked = AddQuotas(job, &violations);
  if (!checked.ok()) {
    LogWarning("quotas of a submitted job not checked",
               {{"job", job.id.value()}, {"error", StatusText(checked)}});
    return;
  }
  if (violations.empty()) return;
  Record(job, absl::StrCat("larger at submission: ",
                           ViolationsText(violations).text));
  Post(job, MakeText(job_lifecycle_messages::kLargerAtSubmission,
                     {{"job", job.spec.name},
                      {"limits", ViolationsText(violations)}}));
}

void LimitEnforcer::CheckNow(const JobId& id) {
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job || HasEnded(*job) || job->state == v1::JOB_STATE_STOPPING) return;
  const absl::StatusOr<std::vector<Violation>> excess = ExcessOf(*job);
  if (!excess.ok()) {
    // A job is not stopped for limits that are not known.
    LogWarning("limits of a changed job not checked",
               {{"job", id.value()}, {"error", StatusText(excess.status())}});
    return;
  }
  if (excess->empty()) return Clear(*job);
  const absl::Time now =
      absl::FromUnixMicros(absl::ToUnixMicros(parts_.clock->Now()));
  const auto changed = parts_.active->Change(id, [&](ActiveJob& active) {
    std::optional<LimitExcess>& over = active.job.over_limit;
    if (!over) over = LimitExcess{.violations = {}, .since = now};
    over->violations = *excess;
    const bool cancels = Waits(active.job)
                             ? parts_.rule.pending == ExcessAction::kCancel
                             : parts_.rule.running == ExcessAction::kCancel;
    over->cancel_at.reset();
    if (cancels) over->cancel_at = over->since + parts_.rule.grace;
  });
  if (!changed) return;
  if (!job->over_limit || job->over_limit->violations != *excess ||
      job->over_limit->cancel_at != changed->job.over_limit->cancel_at) {
    Record(changed->job, ViolationsText(*excess).text);
    Notify(changed->job);
  }
  Act(changed->job);
}

void LimitEnforcer::Clear(const Job& job) {
  if (!job.over_limit) return;
  const auto changed = parts_.active->Change(
      job.id, [](ActiveJob& active) { active.job.over_limit.reset(); });
  if (changed) Record(changed->job, "it is within its limits again");
}

void LimitEnforcer::Act(const Job& job) {
  if (job.over_limit->cancel_at) {
    if (*job.over_limit->cancel_at <= parts_.clock->Now()) Cancel(job);
    return;
  }
  if (Waits(job) && parts_.rule.pending == ExcessAction::kHold &&
      MayStart(job)) {
    Hold(job);
  }
}

bool LimitEnforcer::MayStart(const Job& job) {
  // A hold that the user did not set counts, too.
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  bool is_seen = false;
  for (const auto& [id, slurm] : seen->jobs) {
    if (slurm.state != SlurmState::kPending || !IsRecordsJob(job, slurm)) {
      continue;
    }
    if (!slurm.held) return true;
    is_seen = true;
  }
  return !is_seen && !job.held;
}

void LimitEnforcer::Hold(const Job& job) {
  const absl::Time now = parts_.clock->Now();
  {
    absl::MutexLock lock(&mutex_);
    if (now < holds_[job.id].again_at) return;
  }
  const absl::Status held = parts_.submitter->UpdateAsUser(
      {job.owner, job.owner_uid}, job.slurm_id, job.id,
      {.hold = JobChange::Hold::kHold}, NewRequestId());
  const std::string result = absl::StrCat("held: ", StatusText(held));
  bool is_new = false;
  {
    absl::MutexLock lock(&mutex_);
    HoldTries& tries = holds_[job.id];
    is_new = tries.result != result;
    tries.result = result;
    tries.failed = held.ok() ? 0 : tries.failed + 1;
    tries.again_at = now;
    if (!held.ok()) {
      tries.again_at +=
          kFirstHoldPause * (1 << std::min(tries.failed - 1, kMaxDoublings));
    }
  }
  if (is_new) Record(job, result);
  parts_.scheduler->RefreshJob(job.slurm_id);
}

void LimitEnforcer::Cancel(const Job& job) {
  const auto changed = parts_.active->Change(job.id, [&](ActiveJob& active) {
    active.stopping_since = parts_.clock->Now();
    active.job.state = v1::JOB_STATE_STOPPING;
    active.job.stopped_by = v1::JOB_STOPPED_BY_CARME;
    active.job.reason =
        MakeText(job_lifecycle_messages::kExceededLimit,
                 {{"limits", ViolationsText(job.over_limit->violations)}});
  });
  // If the cancellation fails, the reconciler repeats it.
  if (changed) {
    parts_.cancel_queue->Enqueue(changed->job, job.slurm_id,
                                 "it exceeds a limit");
  }
}

void LimitEnforcer::Notify(const Job& job) {
  const DisplayText limits = ViolationsText(job.over_limit->violations);
  const TextTemplate* text = &job_lifecycle_messages::kExceedsLimit;
  if (job.over_limit->cancel_at) {
    const absl::Duration left =
        *job.over_limit->cancel_at - parts_.clock->Now();
    if (left > absl::ZeroDuration()) {
      return Post(job,
                  MakeText(job_lifecycle_messages::kExceedsLimitCancelledIn,
                           {{"job", job.spec.name},
                            {"limits", limits},
                            {"time", DurationText(left)}}));
    }
    text = &job_lifecycle_messages::kExceedsLimitCancelled;
  } else if (Waits(job) && parts_.rule.pending == ExcessAction::kHold) {
    text = &job_lifecycle_messages::kExceedsLimitHeld;
  }
  Post(job, MakeText(*text, {{"job", job.spec.name}, {"limits", limits}}));
}

void LimitEnforcer::Post(const Job& job, const DisplayText& text) {
  const absl::Time now = parts_.clock->Now();
  const Event event{.uid = job.owner_uid,
                    .kind = v1::NOTIFICATION_KIND_QUOTA,
                    .subject = job.id.value(),
                    .text = text,
                    .key = absl::StrCat("over-limit/", job.id.value(), "/",
                                        absl::ToUnixMicros(now))};
  const absl::Status posted = parts_.database->Transact(
      [&](Database& db) { return PostEvent(db, event, now); });
  if (!posted.ok()) {
    LogError("notification of an exceeded limit not written",
             {{"job", job.id.value()}, {"error", StatusText(posted)}});
  }
}

void LimitEnforcer::Record(const Job& job, const std::string& result) {
  LogInfo("job changed in Slurm", {{"user", job.owner},
                                   {"job", job.id.value()},
                                   {"slurm_job", job.slurm_id.value()},
                                   {"result", result}});
  parts_.audit->Record({.act = "limit-excess",
                        .actor = "carme-backend",
                        .subject = job.id.value(),
                        .decision = AuditDecision::kAllow,
                        .result = result,
                        .request_id = NewRequestId()});
}

absl::StatusOr<std::vector<Violation>> LimitEnforcer::ExcessOf(const Job& job) {
  std::vector<Violation> violations;
  RETURN_IF_ERROR(AddQuotas(job, &violations));
  std::string account;
  if (!job.spec.project.empty() && parts_.projects != nullptr) {
    const auto terms = parts_.projects->ForJob(job.spec.project, job.owner_uid);
    // Running jobs of a user who left the project continue.
    if (terms.ok()) account = terms->account;
  }
  // Tasks of an array can be in several places.
  std::vector<SlurmPlace> places = job.places;
  if (places.empty()) places.push_back(PlaceOf(job));
  for (const SlurmPlace& place : places) {
    Job there = job;
    there.spec.partition = place.partition;
    there.spec.qos = place.qos;
    there.account = place.account;
    RETURN_IF_ERROR(AddTerms(there, account, &violations));
  }
  return violations;
}

absl::Status LimitEnforcer::AddTerms(const Job& job,
                                     const std::string& project_account,
                                     std::vector<Violation>* violations) {
  std::string account = project_account;
  std::vector<Violation> found;
  RETURN_IF_ERROR(AddTemplate(job, &account, &found));
  if (!account.empty() && !job.account.empty() && job.account != account) {
    found.push_back(
        {Refusal::kForbidden, "project", "account", account,
         job.spec.project.empty() ? AnyTemplateLimitSource()
                                  : AnyProjectLimitSource(),
         MakeText(job_lifecycle_messages::kOtherAccount,
                  {{"account", job.account}, {"expected", account}})});
  }
  for (Violation& violation : found) {
    if (std::find(violations->begin(), violations->end(), violation) ==
        violations->end()) {
      violations->push_back(std::move(violation));
    }
  }
  return absl::OkStatus();
}

absl::Status LimitEnforcer::AddTemplate(const Job& job, std::string* account,
                                        std::vector<Violation>* violations) {
  if (parts_.templates == nullptr || job.spec.job_template.empty()) {
    return absl::OkStatus();
  }
  absl::StatusOr<JobTemplate> found =
      parts_.templates->Find(job.spec.job_template);
  if (absl::IsNotFound(found.status())) return absl::OkStatus();
  RETURN_IF_ERROR(found.status());
  if (!found->account.empty()) *account = found->account;
  TemplateChoice choice;
  choice.job_template = *std::move(found);
  const SlurmSnapshotPtr cluster = parts_.scheduler->Snapshot();
  const SlurmPartition* partition = FindPartition(*cluster, job.spec.partition);
  const bool exclusive = partition != nullptr && partition->exclusive;
  for (Violation& violation : CheckTemplate(choice, job.spec, 0)) {
    const bool rounded = exclusive && (violation.limit == "cpus_per_gpu" ||
                                       violation.limit == "memory_per_gpu");
    const bool of_operator = violation.field == "walltime" && !ChecksTime(job);
    if (of_operator || violation.limit == "max_jobs" || rounded) {
      continue;
    }
    violations->push_back(std::move(violation));
  }
  return absl::OkStatus();
}

absl::Status LimitEnforcer::AddQuotas(const Job& job,
                                      std::vector<Violation>* violations) {
  if (parts_.quotas == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Quotas::Asker asker,
                   parts_.quotas->AskerOf(job.owner, job.owner_uid));
  ASSIGN_OR_RETURN(
      const QuotaTerms terms,
      parts_.quotas->For(asker, job.spec.project, /*without=*/job.id));
  JobUse use = UseOf(job.spec);
  // Limits per job count a job and its linked jobs together.
  const JobId first = IsLinkedJob(job) ? JobId(job.spec.linked_to) : job.id;
  std::vector<Job> linked = parts_.active->JobsLinkedTo(first);
  if (const auto joined = parts_.active->Find(first)) linked.push_back(*joined);
  for (const Job& other : linked) {
    if (other.id == job.id || HasEnded(other)) continue;
    const JobUse of_other = UseOf(other.spec);
    use.gpus_joined += of_other.gpus;
    use.nodes_joined += of_other.nodes;
  }
  for (Violation& violation : CheckQuotas(terms, use)) {
    if (IsAboutUpdates(violation, job, ChecksTime(job))) {
      violations->push_back(std::move(violation));
    }
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
