#include "backend/jobs/lifecycle/reconciler.h"

#include <algorithm>

#include "backend/jobs/diagnosis/advice.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/jobs/state/node_outcomes.h"
#include "backend/policy/limits/quota.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kLongestPoll = absl::Seconds(30);

// How long a stopping job may take to end.
constexpr absl::Duration kStopTimeout = absl::Seconds(20);

void KeepPresent(std::set<SlurmJobId>& ids, const SlurmSnapshot& snapshot) {
  std::erase_if(ids,
                [&](SlurmJobId id) { return !snapshot.jobs.contains(id); });
}

// Between two polls further apart than Slurm keeps jobs, a job may have started
// and ended unobserved.
void NoteGap(const SlurmSnapshot& snapshot, ActiveJob* active) {
  if (snapshot.asked_at - active->observed_at >= snapshot.min_job_age) {
    active->gap_in_polling = true;
  }
  active->observed_at = std::max(active->observed_at, snapshot.asked_at);
}

}  // namespace

absl::Status Reconciler::Load() {
  ASSIGN_OR_RETURN(gaps_, parts_.store->RestoreGaps());
  return absl::OkStatus();
}

void Reconciler::OnPoll(const SlurmSnapshot& snapshot) {
  parts_.active->DropWritten();
  if (!snapshot.reachable) return parts_.feed->PublishCluster(snapshot.version);
  KeepPresent(warned_, snapshot);
  KeepPresent(not_ours_, snapshot);
  const Claims claims = ClaimsOn(snapshot);
  seen_.clear();
  chosen_.clear();
  parts_.active->ChangeAll(
      [&](ActiveJob& active) { RefreshJob(active, claims, snapshot); });
  StopOrphans();
  for (const auto& [id, slurm] : snapshot.jobs) {
    if (slurm.carme_id == JobId() || chosen_.contains(id)) continue;
    if (!seen_.contains(slurm.carme_id)) CheckStrayJob(slurm, claims);
  }
  // After the jobs: watchers of a new version must find the new states.
  parts_.feed->PublishCluster(snapshot.version);
}

void Reconciler::RefreshJob(ActiveJob& active, const Claims& claims,
                            const SlurmSnapshot& snapshot) {
  const absl::Time now = parts_.clock->Now();
  DiscardUnseenUse(now, &active);
  const Job before = active.job;
  seen_.insert(before.id);
  const std::vector<const SlurmJob*> records = Choose(before, claims);
  // A missing job only counts if all jobs were queried.
  const absl::Time asked_at =
      records.empty() ? snapshot.asked_at
                      : AskedAt(snapshot, SubmittedJobId(*records[0]));
  // Slurm has changed the job since the poll. A difference longer than a poll
  // is a clock that was set back.
  if (asked_at < active.changed_at &&
      active.changed_at - asked_at < kLongestPoll) {
    return;
  }
  NoteGap(snapshot, &active);
  const Observation observation{.slurm = records.empty() ? nullptr : records[0],
                                .asked_at = asked_at,
                                .known_since = active.known_since,
                                .submitting = active.submitting,
                                .gap_in_polling = active.gap_in_polling,
                                .now = now,
                                .cluster = &snapshot};
  active.job = IsArray(before) ? NextArrayState(before, records, observation,
                                                active.task_end_details)
                               : Next(before, observation);
  if (HasEnded(active.job) && parts_.accounted_ends != nullptr &&
      parts_.accounted_ends->MayKnowMore(active.job)) {
    active.job = WithAccounting(before, std::move(active.job), observation,
                                active.task_end_details);
  }
  if (parts_.limit_enforcer != nullptr && !HasEnded(active.job)) {
    const bool is_longer = IsLonger(before, active.job);
    if (!before.slurm_submitted_at && active.job.slurm_submitted_at) {
      // What Slurm and a job_submit plugin of the site changed at submission is
      // not a change by the user.
      const JobUse was = UseOf(before.spec), is = UseOf(active.job.spec);
      if (is.gpus > was.gpus || is.nodes > was.nodes) {
        parts_.limit_enforcer->CheckSubmitted(before.id);
      }
    } else if (is_longer || HasGrown(before, active.job)) {
      parts_.limit_enforcer->Check(before.id, is_longer);
    }
  }
  const bool adopted = !InSlurm(before) && InSlurm(active.job);
  if (adopted) active.known_since = now;
  if (HasEnded(active.job)) {
    active.job.advice = AdviceFor(active.job, "");
    if (parts_.failure_log != nullptr && WantsFailureLog(active.job)) {
      parts_.failure_log->Enqueue(active.job);
    }
  }
  if (parts_.node_history != nullptr) {
    parts_.node_history->Enqueue(
        NewNodeOutcomes(before, active.job, records, snapshot));
  }
  if (active.job.state != v1::JOB_STATE_STOPPING) return;
  if (before.state != v1::JOB_STATE_STOPPING) active.stopping_since = now;
  const bool kept = active.cancel_pending;
  const bool is_active =
      std::any_of(records.begin(), records.end(),
                  [](const SlurmJob* slurm) { return IsActive(slurm->state); });
  if (active.cancel_pending) {
    active.cancel_pending = false;
    if (active.job.reason.text == job_lifecycle_messages::kStopKept.text)
      active.job.reason.clear();
    if (is_active) active.stopping_since = now;
  }
  if (is_active &&
      (adopted || kept || now - active.stopping_since > kStopTimeout)) {
    parts_.cancel_queue->Enqueue(active.job, active.job.slurm_id, "stopped");
  }
}

Job Reconciler::WithAccounting(const Job& before, Job ended,
                               const Observation& observation,
                               const TaskEndDetails& end_details) {
  const auto runs = parts_.accounted_ends->Find(ended);
  if (!runs) {
    Job waiting = before;
    if (ended.end == v1::JOB_END_STOPPED && !IsArray(ended)) {
      waiting.state = v1::JOB_STATE_STOPPING;
    } else if (before.state != v1::JOB_STATE_STOPPING) {
      // Not STOPPING: a job that Slurm reports again continues.
      waiting.reason = MakeText(job_lifecycle_messages::kQueriesAccounting);
    }
    return waiting;
  }
  if (runs->empty()) return ended;
  Observation accounted = observation;
  accounted.slurm = runs->data();
  Job next;
  if (IsArray(before)) {
    // The answer has all of its tasks, also lost ones.
    Job anew = before;
    anew.array = NewArray(before.spec);
    anew.spent = JobSpent();
    std::vector<const SlurmJob*> records;
    for (const SlurmJob& run : *runs) records.push_back(&run);
    next = NextArrayState(anew, records, accounted, end_details);
  } else {
    next = Next(before, accounted);
  }
  return HasEnded(next) ? next : ended;
}

// Ordered by Slurm id within each record.
Reconciler::Claims Reconciler::ClaimsOn(const SlurmSnapshot& snapshot) {
  Claims claims;
  for (const auto& [id, slurm] : snapshot.jobs) {
    if (slurm.carme_id != JobId()) {
      claims.by_comment.emplace(slurm.carme_id, &slurm);
    }
    claims.by_id.emplace(SubmittedJobId(slurm), &slurm);
  }
  parts_.active->ForEach([&](const Job& job) {
    if (InSlurm(job) && !HasEnded(job)) {
      claims.holders.emplace(job.slurm_id, Holder{job.id, IdentityOf(job)});
    }
  });
  return claims;
}

std::vector<const SlurmJob*> Reconciler::Choose(const Job& job,
                                                const Claims& claims) {
  std::vector<const SlurmJob*> chosen;
  if (InSlurm(job)) {
    const auto [first, last] = claims.by_id.equal_range(job.slurm_id);
    for (auto row = first; row != last; ++row) {
      if (IsRecordsJob(job, *row->second) &&
          !IsOthers(claims, job, *row->second)) {
        chosen.push_back(row->second);
      }
    }
  } else {
    chosen = Adoptable(job, claims);
  }
  for (const SlurmJob* slurm : chosen) chosen_.insert(slurm->id);
  const auto [first, last] = claims.by_comment.equal_range(job.id);
  for (auto row = first; row != last; ++row) {
    if (row->second->uid != job.owner_uid) {
      WarnOnce(*row->second, "comment names a job of another user");
    } else if (!chosen_.contains(row->second->id)) {
      WarnOnce(*row->second, "comment names a job that has its Slurm job");
    }
  }
  return chosen;
}

// Two records have one Slurm id if Slurm lost its state and reused the id.
// Until the older record has its submission time the comment decides, and
// otherwise the newer record has the job.
bool Reconciler::IsOthers(const Claims& claims, const Job& job,
                          const SlurmJob& slurm) {
  if (job.slurm_submitted_at || slurm.carme_id == job.id) return false;
  const auto [first, last] = claims.holders.equal_range(job.slurm_id);
  return std::any_of(first, last, [&](const auto& row) {
    const Holder& other = row.second;
    if (other.record == job.id || !IsJobOf(other.identity, slurm)) return false;
    return other.identity.submitted_at.has_value() ||
           slurm.carme_id == other.record ||
           other.identity.recorded_at > job.created_at;
  });
}

// The lowest Slurm id without a record; for an array all of its tasks.
std::vector<const SlurmJob*> Reconciler::Adoptable(const Job& job,
                                                   const Claims& claims) {
  std::vector<const SlurmJob*> found;
  const auto [first, last] = claims.by_comment.equal_range(job.id);
  for (auto row = first; row != last; ++row) {
    const SlurmJob& slurm = *row->second;
    const auto [holder, end] =
        claims.holders.equal_range(SubmittedJobId(slurm));
    const bool is_held = std::any_of(holder, end, [&](const auto& other) {
      return IsJobOf(other.second.identity, slurm);
    });
    if (is_held || !MayAdopt(job, slurm)) continue;
    if (!found.empty() && SubmittedJobId(slurm) < SubmittedJobId(*found[0]))
      found.clear();
    if (found.empty() || SubmittedJobId(slurm) == SubmittedJobId(*found[0])) {
      found.push_back(&slurm);
    }
  }
  return found;
}

void Reconciler::StopOrphans() {
  for (const Job& orphan : parts_.active->Orphans()) {
    const auto changed =
        parts_.active->Change(orphan.id, [&](ActiveJob& active) {
          active.stopping_since = parts_.clock->Now();
          active.job.state = v1::JOB_STATE_STOPPING;
          active.job.reason = MakeText(job_lifecycle_messages::kJoinedJobEnded);
          active.job.stopped_by = v1::JOB_STOPPED_BY_CARME;
        });
    // A job that is being submitted is cancelled once it has its id.
    if (changed && InSlurm(changed->job)) {
      parts_.cancel_queue->Enqueue(changed->job, changed->job.slurm_id,
                                   "the job that it joined has ended");
    }
  }
}

// Only a job whose record ended without a Slurm id is cancelled: its submission
// was given up, and nothing else in Carme will ever end it. Any other comment
// may be forged.
void Reconciler::CheckStrayJob(const SlurmJob& slurm, const Claims& claims) {
  if (!IsActive(slurm.state) || not_ours_.contains(slurm.id)) return;
  // A job recorded after the poll began is in the database and active.
  const absl::StatusOr<Job> record = parts_.store->Find(slurm.carme_id);
  if (!record.ok() && !absl::IsNotFound(record.status())) return;
  if (record.ok() && !record->ended_at) return;
  if (!record.ok() && MayRecord(slurm, claims)) return RecordFound(slurm);
  if (!record.ok() || !MayAdopt(*record, slurm)) {
    not_ours_.insert(slurm.id);
    return WarnOnce(slurm, "comment does not name a job of this user");
  }
  parts_.cancel_queue->Enqueue(*record, SubmittedJobId(slurm),
                               "its record had ended");
}

// A forged comment gives the user a record of a job of their own. Of several
// jobs with the same comment it is not known which one had the record.
bool Reconciler::MayRecord(const SlurmJob& slurm, const Claims& claims) const {
  return claims.by_comment.count(slurm.carme_id) == 1 &&
         slurm.array == SlurmJobId() && IsFromGap(slurm, gaps_);
}

void Reconciler::RecordFound(const SlurmJob& slurm) {
  const absl::StatusOr<Job> job = parts_.store->InsertFound(slurm);
  if (absl::IsNotFound(job.status())) {
    return WarnOnce(slurm,
                    "job lost by a restore: recorded when its owner has "
                    "logged in");
  }
  if (!job.ok()) {
    LogWarning(
        "job lost by a restore cannot be recorded now",
        {{"slurm_job", slurm.id.value()}, {"error", StatusText(job.status())}});
    return;
  }
  const absl::Time now = parts_.clock->Now();
  parts_.active->Add(*job, now);
  parts_.active->Change(job->id,
                        [](ActiveJob& active) { active.submitting = false; });
  LogInfo("job lost by a restore recorded again",
          {{"user", job->owner},
           {"job", job->id.value()},
           {"slurm_job", slurm.id.value()}});
}

void Reconciler::WarnOnce(const SlurmJob& slurm, const char* event) {
  if (!warned_.insert(slurm.id).second) return;
  LogWarning(event, {{"slurm_job", slurm.id.value()},
                     {"uid", slurm.uid.value()},
                     {"job", slurm.carme_id.value()}});
}

}  // namespace carme::backend
