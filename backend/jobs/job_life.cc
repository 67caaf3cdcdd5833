#include "backend/jobs/job_life.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/jobs/pending_reason.h"
#include "common/printable.h"

namespace carme {
namespace {

Job WithoutSlurm(const Job& job, const Sighting& seen) {
  if (InSlurm(job)) {
    if (seen.asked_at <= seen.known_since + kForgottenGrace) return job;
    return Ended(job, JobEnd::kUnknown,
                 "Slurm forgot the job before its end was seen", seen.now);
  }
  if (seen.submitting || seen.asked_at <= job.created_at + kSubmissionGrace) {
    return job;
  }
  if (job.state == JobState::kStopping) {
    return Ended(job, JobEnd::kStopped, "stopped before Slurm had it",
                 seen.now);
  }
  return Ended(job, JobEnd::kNotSubmitted, "Slurm never had the job", seen.now);
}

Job Pending(Job job, const SlurmJob& slurm) {
  // Never started and stopping: the snapshot is older than the cancellation.
  if (job.state == JobState::kStopping && !job.started_at) return job;
  job.state = JobState::kPending;
  job.reason = PendingReason(slurm.reason);
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
  job.started_at = slurm.started_at;
  job.ends_at.reset();
  if (slurm.ends_at != absl::InfiniteFuture()) job.ends_at = slurm.ends_at;
  if (job.state == JobState::kStopping) return job;
  job.state = job.ready_at ? JobState::kReady : JobState::kStarting;
  job.reason = suspended ? "suspended by Slurm" : "";
  return job;
}

std::string FailureOf(const Job& job, const SlurmJob& slurm) {
  // The agent's own word about its app is better than a number.
  if (job.state == JobState::kStopping && !job.reason.empty()) {
    return job.reason;
  }
  const std::string word = PlainText(slurm.reason, 64);
  if (word.empty() || word == "None" || word == "NonZeroExitCode") {
    return absl::StrCat("ended with exit code ", slurm.exit_code);
  }
  return absl::StrCat("ended with exit code ", slurm.exit_code, " (", word,
                      ")");
}

Job Over(Job job, const SlurmJob& slurm, absl::Time now) {
  if (slurm.started_at != absl::InfinitePast() && !slurm.nodes.empty()) {
    job.nodes = slurm.nodes;
    job.started_at = slurm.started_at;
  }
  job.exit_code = slurm.exit_code;
  absl::Time when = std::min(slurm.ends_at, now);
  if (when < job.created_at) when = now;  // Slurm has not set it
  switch (slurm.state) {
    case SlurmState::kCompleted:
      return Ended(job, JobEnd::kCompleted, "", when);
    case SlurmState::kCancelled:
      return Ended(job, JobEnd::kStopped, "", when);
    case SlurmState::kTimeLimit:
      return Ended(job, JobEnd::kTimeLimit, "its walltime was over", when);
    case SlurmState::kNodeFail:
      return Ended(job, JobEnd::kNodeFail, "a node of it failed", when);
    case SlurmState::kOutOfMemory:
      return Ended(job, JobEnd::kOutOfMemory,
                   "it used more memory than it had asked for", when);
    default:
      return Ended(job, JobEnd::kFailed, FailureOf(job, slurm), when);
  }
}

}  // namespace

bool IsActive(SlurmState state) {
  return state == SlurmState::kPending || state == SlurmState::kRunning ||
         state == SlurmState::kSuspended;
}

Job Next(const Job& job, const Sighting& sighting) {
  if (HasEnded(job)) return job;
  if (sighting.slurm == nullptr) return WithoutSlurm(job, sighting);
  const SlurmJob& slurm = *sighting.slurm;
  Job next = job;
  next.slurm_id = slurm.id;
  switch (slurm.state) {
    case SlurmState::kUnknown:
      return next;
    case SlurmState::kPending:
      return Pending(std::move(next), slurm);
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
