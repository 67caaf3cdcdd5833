#include "backend/jobs/feeds/job_status.h"

#include "absl/strings/str_cat.h"
#include "backend/jobs/model/linked_jobs.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxReason = 400;  // the contract's

JobPhase PhaseOf(JobState state) {
  switch (state) {
    case JobState::kSubmitting:
    case JobState::kPending:
      return JobPhase::kWaits;
    case JobState::kStarting:
      return JobPhase::kStarts;
    case JobState::kReady:
      return JobPhase::kRuns;
    case JobState::kStopping:
      return JobPhase::kStops;
    case JobState::kEnded:
      return JobPhase::kEnded;
  }
  return JobPhase::kUnknown;
}

const char* WordsOf(JobEnd end) {
  switch (end) {
    case JobEnd::kCompleted:
      return "its app was ended from within";
    case JobEnd::kStopped:
      return "it was stopped";
    case JobEnd::kTimeLimit:
      return "its walltime was over";
    case JobEnd::kFailed:
      return "it failed";
    case JobEnd::kNodeFail:
      return "a node of it failed";
    case JobEnd::kNotSubmitted:
      return "Slurm did not take it";
    case JobEnd::kOutOfMemory:
      return "it used more memory than it had asked for";
    case JobEnd::kNone:
    case JobEnd::kUnknown:
      break;
  }
  return "nobody saw how";
}

std::string ReasonOf(const Job& job) {
  if (!HasEnded(job)) return job.reason;
  std::string reason = job.reason;
  if (reason.empty()) {
    reason = WordsOf(job.end);
  } else if (job.end == JobEnd::kFailed) {
    reason = absl::StrCat("it failed: ", reason);
  }
  if (!job.advice.empty()) absl::StrAppend(&reason, ". ", job.advice);
  return reason;
}

}  // namespace

std::optional<JobStatus> JobStatusOf(const Job& job) {
  if (IsBatch(job) || IsLinkedJob(job) || !job.spec.builds.empty()) {
    return std::nullopt;
  }
  JobStatus standing{.phase = PhaseOf(job.state),
                       .reason = Readable(ReasonOf(job), kMaxReason)};
  if (job.state == JobState::kPending) {
    standing.expected_start = job.expected_start;
  }
  if (!IsRunning(job)) return standing;
  for (const JobApp& app : job.apps) {
    if (app.id == kStageIn || app.id == kStageOut) continue;
    standing.apps.push_back(app);
    standing.apps.back().detail = Readable(app.detail, kMaxReason);
  }
  return standing;
}

void JobStatuses::Set(const JobId& job, const JobStatus& standing,
                    absl::Time now, const Changed& changed) {
  const auto [place, fresh] = all_.try_emplace(job, standing);
  if (!fresh && place->second == standing) return;
  const bool ended_before = !fresh && place->second.phase == JobPhase::kEnded;
  place->second = standing;
  changed(job, standing);
  if (standing.phase == JobPhase::kEnded && !ended_before) {
    ended_.emplace_back(job, now);
  }
  while (ended_.size() > kMaxEnded ||
         (!ended_.empty() && ended_.front().second + kLongestEnded < now)) {
    all_.erase(ended_.front().first);
    changed(ended_.front().first, JobStatus());
    ended_.pop_front();
  }
}

}  // namespace carme::backend
