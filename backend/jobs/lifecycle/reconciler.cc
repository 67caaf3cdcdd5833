#include "backend/jobs/lifecycle/reconciler.h"

#include <algorithm>

#include "backend/jobs/diagnosis/advice.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/policy/limits/quota.h"
#include "common/log.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kLongestLook = absl::Seconds(30);

// How long a job may take to end by itself once it is stopping.
constexpr absl::Duration kStopPatience = absl::Seconds(20);

void KeepPresent(std::set<SlurmJobId>& ids, const SlurmSnapshot& snapshot) {
  std::erase_if(ids,
                [&](SlurmJobId id) { return !snapshot.jobs.contains(id); });
}

// Between two looks that are further apart than Slurm keeps a job, one may have
// come and gone.
void NoteGap(const SlurmSnapshot& snapshot, LiveJob* live) {
  if (snapshot.asked_at - live->looked_at >= snapshot.min_job_age) {
    live->may_have_missed = true;
  }
  live->looked_at = std::max(live->looked_at, snapshot.asked_at);
}

}  // namespace

void Reconciler::Look(const SlurmSnapshot& snapshot) {
  parts_.live->DropWritten();
  if (!snapshot.reachable) return parts_.feed->PublishCluster(snapshot.version);
  KeepPresent(warned_, snapshot);
  KeepPresent(not_ours_, snapshot);
  const Claims claims = ClaimsOn(snapshot);
  seen_.clear();
  chosen_.clear();
  parts_.live->ChangeAll(
      [&](LiveJob& live) { LookAt(live, claims, snapshot); });
  StopOrphans();
  for (const auto& [id, slurm] : snapshot.jobs) {
    if (slurm.carme_id == JobId() || chosen_.contains(id)) continue;
    if (!seen_.contains(slurm.carme_id)) LookAtStray(slurm);
  }
  // After the jobs: who is told of a new version finds their new states.
  parts_.feed->PublishCluster(snapshot.version);
}

void Reconciler::LookAt(LiveJob& live, const Claims& claims,
                        const SlurmSnapshot& snapshot) {
  const absl::Time now = parts_.clock->Now();
  ForgetUnseenUse(now, &live);
  const Job before = live.job;
  seen_.insert(before.id);
  const std::vector<const SlurmJob*> records = Choose(before, claims);
  // That it is not there counts only when all were asked for.
  const absl::Time asked_at = records.empty()
                                  ? snapshot.asked_at
                                  : AskedAt(snapshot, WholeOf(*records[0]));
  // Slurm has done something for us since it was asked. More than a look takes
  // is a clock that was put back.
  if (asked_at < live.changed_at && live.changed_at - asked_at < kLongestLook) {
    return;
  }
  NoteGap(snapshot, &live);
  const Sighting sighting{.slurm = records.empty() ? nullptr : records[0],
                          .asked_at = asked_at,
                          .known_since = live.known_since,
                          .submitting = live.submitting,
                          .may_have_missed = live.may_have_missed,
                          .now = now,
                          .cluster = &snapshot};
  live.job = IsArray(before)
                 ? NextOfArray(before, records, sighting, live.task_words)
                 : Next(before, sighting);
  if (HasEnded(live.job) && parts_.accounted_ends != nullptr &&
      parts_.accounted_ends->MayKnowMore(live.job)) {
    live.job = WithAccounting(before, std::move(live.job), sighting,
                              live.task_words);
  }
  if (parts_.limit_watch != nullptr && !HasEnded(live.job)) {
    const bool is_longer = IsLonger(before, live.job);
    if (!before.slurm_submitted_at && live.job.slurm_submitted_at) {
      // What Slurm and a site's job_submit plugin made of it at submission is
      // no change by its user.
      const JobUse was = UseOf(before.spec), is = UseOf(live.job.spec);
      if (is.gpus > was.gpus || is.nodes > was.nodes) {
        parts_.limit_watch->CheckSubmitted(before.id);
      }
    } else if (is_longer || HasGrown(before, live.job)) {
      parts_.limit_watch->Check(before.id, is_longer);
    }
  }
  const bool adopted = !InSlurm(before) && InSlurm(live.job);
  if (adopted) live.known_since = now;
  if (HasEnded(live.job)) {
    live.job.advice = AdviceFor(live.job, "");
    if (parts_.last_words != nullptr && HasLastWords(live.job)) {
      parts_.last_words->Ask(live.job);
    }
  }
  if (live.job.state != JobState::kStopping) return;
  if (before.state != JobState::kStopping) live.stopping_since = now;
  const bool kept = live.cancel_pending;
  const bool active =
      std::any_of(records.begin(), records.end(),
                  [](const SlurmJob* slurm) { return IsActive(slurm->state); });
  if (live.cancel_pending) {
    live.cancel_pending = false;
    if (live.job.reason == kStopKept) live.job.reason.clear();
    if (active) live.stopping_since = now;
  }
  if (active && (adopted || kept || now - live.stopping_since > kStopPatience)) {
    parts_.canceller->Ask(live.job, live.job.slurm_id, "stopped");
  }
}

Job Reconciler::WithAccounting(const Job& before, Job ended,
                               const Sighting& sighting,
                               const TaskWords& words) {
  const auto runs = parts_.accounted_ends->Find(ended);
  if (!runs) {
    Job waiting = before;
    if (ended.end == JobEnd::kStopped && !IsArray(ended)) {
      waiting.state = JobState::kStopping;
    } else if (before.state != JobState::kStopping) {
      // Not STOPPING: a job that Slurm reports again goes on.
      waiting.reason = "Slurm has no record of it: its accounting is asked";
    }
    return waiting;
  }
  if (runs->empty()) return ended;
  Sighting accounted = sighting;
  accounted.slurm = runs->data();
  Job next;
  if (IsArray(before)) {
    // All of its tasks are in the answer, those that were lost, too.
    Job anew = before;
    anew.array = NewArray(before.spec);
    anew.spent = JobSpent();
    std::vector<const SlurmJob*> records;
    for (const SlurmJob& run : *runs) records.push_back(&run);
    next = NextOfArray(anew, records, accounted, words);
  } else {
    next = Next(before, accounted);
  }
  return HasEnded(next) ? next : ended;
}

// Per record in the order of the Slurm ids.
Reconciler::Claims Reconciler::ClaimsOn(const SlurmSnapshot& snapshot) {
  Claims claims;
  for (const auto& [id, slurm] : snapshot.jobs) {
    if (slurm.carme_id != JobId()) {
      claims.by_comment.emplace(slurm.carme_id, &slurm);
    }
    claims.by_id.emplace(WholeOf(slurm), &slurm);
  }
  parts_.live->ForEach([&](const Job& job) {
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
      WarnOnce(*row->second, "comment names another user's job");
    } else if (!chosen_.contains(row->second->id)) {
      WarnOnce(*row->second, "comment names a job that has its Slurm job");
    }
  }
  return chosen;
}

// Two records have one Slurm id where Slurm lost its state and gave the id
// again. Before the older record has its time of submission the comment
// decides, and else the newer record has the job.
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

// The lowest Slurm id that no record has; of an array all of its tasks.
std::vector<const SlurmJob*> Reconciler::Adoptable(const Job& job,
                                                   const Claims& claims) {
  std::vector<const SlurmJob*> found;
  const auto [first, last] = claims.by_comment.equal_range(job.id);
  for (auto row = first; row != last; ++row) {
    const SlurmJob& slurm = *row->second;
    const auto [holder, end] = claims.holders.equal_range(WholeOf(slurm));
    const bool is_held = std::any_of(holder, end, [&](const auto& other) {
      return IsJobOf(other.second.identity, slurm);
    });
    if (is_held || !MayAdopt(job, slurm)) continue;
    if (!found.empty() && WholeOf(slurm) < WholeOf(*found[0])) found.clear();
    if (found.empty() || WholeOf(slurm) == WholeOf(*found[0])) {
      found.push_back(&slurm);
    }
  }
  return found;
}

void Reconciler::StopOrphans() {
  for (const Job& orphan : parts_.live->Orphans()) {
    const auto changed = parts_.live->Change(orphan.id, [&](LiveJob& live) {
      live.stopping_since = parts_.clock->Now();
      live.job.state = JobState::kStopping;
      live.job.reason = "the job that it joined is over";
      live.job.stopped_by = JobStoppedBy::kCarme;
    });
    // One that Slurm is only being asked for is cancelled once it has its id.
    if (changed && InSlurm(changed->job)) {
      parts_.canceller->Ask(changed->job, changed->job.slurm_id,
                            "the job that it joined is over");
    }
  }
}

// Only a job whose record ended without a Slurm id is cancelled: its submission
// was given up, and nothing else in Carme will ever end it. Any other comment
// may be forged.
void Reconciler::LookAtStray(const SlurmJob& slurm) {
  if (!IsActive(slurm.state) || not_ours_.contains(slurm.id)) return;
  // A job recorded after the look began is in the table and not over.
  const absl::StatusOr<Job> record = parts_.store->Find(slurm.carme_id);
  if (!record.ok() && !absl::IsNotFound(record.status())) return;
  if (record.ok() && !record->ended_at) return;
  if (!record.ok() || !MayAdopt(*record, slurm)) {
    not_ours_.insert(slurm.id);
    return WarnOnce(slurm, "comment names no job of this user");
  }
  parts_.canceller->Ask(*record, WholeOf(slurm), "its record had ended");
}

void Reconciler::WarnOnce(const SlurmJob& slurm, const char* event) {
  if (!warned_.insert(slurm.id).second) return;
  LogWarning(event, {{"slurm_job", slurm.id.value()},
                     {"uid", slurm.uid.value()},
                     {"job", slurm.carme_id.value()}});
}

}  // namespace carme::backend
