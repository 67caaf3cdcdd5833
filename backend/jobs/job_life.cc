#include "backend/jobs/job_life.h"

#include <algorithm>
#include <utility>

#include "backend/jobs/job_ending.h"
#include "backend/jobs/pending_reason.h"
#include "common/printable.h"

namespace carme {
namespace {

// Of one that was changed in Slurm; the form allows fewer.
constexpr size_t kMostNameBytes = 512;

Job WithoutSlurm(const Job& job, const Sighting& seen) {
  if (InSlurm(job)) {
    if (seen.asked_at <= seen.known_since + kForgottenGrace) return job;
    return Ended(job, JobEnd::kUnknown,
                 "Slurm forgot the job before its end was seen", seen.now);
  }
  if (seen.submitting || seen.asked_at <= job.created_at + kSubmissionGrace) {
    return job;
  }
  if (seen.may_have_missed) {
    return Ended(job, JobEnd::kUnknown,
                 "nobody knows whether Slurm had the job: it was not looked "
                 "at for longer than Slurm keeps one that ended",
                 seen.now);
  }
  if (job.state == JobState::kStopping) {
    return Ended(job, JobEnd::kStopped, "stopped before Slurm had it",
                 seen.now);
  }
  return Ended(job, JobEnd::kNotSubmitted, "Slurm never had the job", seen.now);
}

Job Pending(Job job, const Sighting& seen) {
  const SlurmJob& slurm = *seen.slurm;
  // Never started and stopping: the snapshot is older than the cancellation.
  if (job.state == JobState::kStopping && !job.started_at) return job;
  job.state = JobState::kPending;
  job.reason = PendingReason(slurm, job.spec, seen.cluster);
  // Another's hold is not the user's to end.
  job.held = slurm.held && slurm.reason == "JobHeldUser";
  job.idle.reset();
  job.in_use.reset();
  job.expected_start.reset();
  // What Slurm meant for the past it says as "now", anew at each look.
  if (!slurm.held && slurm.expected_start > seen.now + absl::Minutes(1)) {
    job.expected_start = slurm.expected_start;
  }
  // Slurm put it back: what was true of its last run is not any more.
  job.nodes.clear();
  job.agent = AgentEndpoint();
  job.started_at.reset();
  job.ready_at.reset();
  job.ends_at.reset();
  return job;
}

Job Running(Job job, const SlurmJob& slurm, bool suspended) {
  job.nodes = slurm.nodes;
  job.held = false;
  job.started_at = slurm.started_at;
  job.ends_at.reset();
  if (slurm.ends_at != absl::InfiniteFuture()) job.ends_at = slurm.ends_at;
  if (job.state == JobState::kStopping) return job;
  job.state = job.ready_at ? JobState::kReady : JobState::kStarting;
  job.reason = suspended ? "suspended by Slurm" : "";
  return job;
}

Job Over(Job job, const SlurmJob& slurm, absl::Time now) {
  if (slurm.started_at != absl::InfinitePast() && !slurm.nodes.empty()) {
    job.nodes = slurm.nodes;
    job.started_at = slurm.started_at;
  }
  job.exit_code = slurm.exit_code;
  absl::Time when = std::min(slurm.ends_at, now);
  if (when < job.created_at) when = now;  // Slurm has not set it
  JobEnding ending = EndingOf(job, slurm);
  return Ended(std::move(job), ending.end, std::move(ending.reason), when);
}

}  // namespace

bool IsActive(SlurmState state) {
  return state == SlurmState::kPending || state == SlurmState::kRunning ||
         state == SlurmState::kSuspended;
}

void FollowSpec(const SlurmJob& slurm, JobSpec* spec) {
  spec->walltime = slurm.walltime.value_or(spec->walltime);
  std::string name = Readable(slurm.name, kMostNameBytes);
  if (!name.empty()) spec->name = std::move(name);
}

Job Next(const Job& job, const Sighting& sighting) {
  if (HasEnded(job)) return job;
  if (sighting.slurm == nullptr) return WithoutSlurm(job, sighting);
  const SlurmJob& slurm = *sighting.slurm;
  Job next = job;
  next.slurm_id = slurm.id;
  if (IsActive(slurm.state)) FollowSpec(slurm, &next.spec);
  if (slurm.state != SlurmState::kPending) next.expected_start.reset();
  switch (slurm.state) {
    case SlurmState::kUnknown:
      return next;
    case SlurmState::kPending:
      return Pending(std::move(next), sighting);
    case SlurmState::kRunning:
      return Running(std::move(next), slurm, false);
    case SlurmState::kSuspended:
      return Running(std::move(next), slurm, true);
    case SlurmState::kCompleting:
      next.state = JobState::kStopping;
      return next;
    default:
      return Over(std::move(next), slurm, sighting.now);
  }
}

}  // namespace carme
