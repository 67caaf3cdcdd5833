#include "backend/jobs/reconciler.h"

#include <algorithm>

#include "backend/jobs/advice.h"
#include "backend/jobs/array_life.h"
#include "backend/jobs/idle_watch.h"
#include "backend/jobs/job_life.h"
#include "common/log.h"

namespace carme {
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
  Claims claims;  // per record in the order of the Slurm ids
  for (const auto& [id, slurm] : snapshot.jobs) {
    claims.emplace(slurm.carme_id, &slurm);
  }
  seen_.clear();
  parts_.live->ChangeAll(
      [&](LiveJob& live) { LookAt(live, claims, snapshot); });
  StopOrphans();
  for (const auto& [id, slurm] : snapshot.jobs) {
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
  const bool active =
      std::any_of(records.begin(), records.end(),
                  [](const SlurmJob* slurm) { return IsActive(slurm->state); });
  if (active && (adopted || now - live.stopping_since > kStopPatience)) {
    parts_.canceller->Ask(live.job, live.job.slurm_id, "stopped");
  }
}

std::vector<const SlurmJob*> Reconciler::Choose(const Job& job,
                                                const Claims& claims) {
  std::vector<const SlurmJob*> owned;
  const auto [first, last] = claims.equal_range(job.id);
  for (auto claim = first; claim != last; ++claim) {
    const SlurmJob& slurm = *claim->second;
    if (slurm.uid != job.owner_uid) {
      WarnOnce(slurm, "comment names another user's job");
    } else {
      owned.push_back(&slurm);
    }
  }
  const auto fits = [&](const SlurmJob& slurm) {
    return IsArray(job) == (slurm.array != SlurmJobId());
  };
  SlurmJobId whole = job.slurm_id;
  for (const SlurmJob* slurm : owned) {
    if (InSlurm(job) || !fits(*slurm)) continue;
    if (whole == SlurmJobId() || WholeOf(*slurm) < whole) {
      whole = WholeOf(*slurm);
    }
  }
  std::vector<const SlurmJob*> chosen;
  for (const SlurmJob* slurm : owned) {
    if (fits(*slurm) && WholeOf(*slurm) == whole) {
      chosen.push_back(slurm);
    } else {
      WarnOnce(*slurm, "comment names a job that has its Slurm job");
    }
  }
  return chosen;
}

void Reconciler::StopOrphans() {
  for (const Job& orphan : parts_.live->Orphans()) {
    const auto changed = parts_.live->Change(orphan.id, [&](LiveJob& live) {
      live.stopping_since = parts_.clock->Now();
      live.job.state = JobState::kStopping;
      live.job.reason = "the job that it joined is over";
    });
    // One that Slurm is only being asked for is cancelled once it has its id.
    if (changed && InSlurm(changed->job)) {
      parts_.canceller->Ask(changed->job, changed->job.slurm_id,
                            "the job that it joined is over");
    }
  }
}

void Reconciler::LookAtStray(const SlurmJob& slurm) {
  if (!IsActive(slurm.state) || not_ours_.contains(slurm.id)) return;
  // A job recorded after the look began is in the table and not over.
  const absl::StatusOr<Job> record = parts_.store->Find(slurm.carme_id);
  if (!record.ok() && !absl::IsNotFound(record.status())) return;
  if (record.ok() && !record->ended_at) return;
  if (!record.ok() || record->owner_uid != slurm.uid ||
      (InSlurm(*record) && record->slurm_id != WholeOf(slurm))) {
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

}  // namespace carme
