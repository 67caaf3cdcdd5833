#include "backend/jobs/feeds/job_status.h"

#include "backend/jobs/feeds/messages.h"
#include "backend/jobs/model/linked_jobs.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxReason = 400;  // the contract's

const MessageTemplate& LabelOf(JobEnd end) {
  switch (end) {
    case v1::JOB_END_COMPLETED:
      return job_feed_messages::kAppExited;
    case v1::JOB_END_STOPPED:
      return job_feed_messages::kStopped;
    case v1::JOB_END_TIME_LIMIT:
      return job_feed_messages::kTimeLimit;
    case v1::JOB_END_FAILED:
      return job_feed_messages::kItFailed;
    case v1::JOB_END_NODE_FAIL:
      return job_feed_messages::kNodeFailed;
    case v1::JOB_END_NOT_SUBMITTED:
      return job_feed_messages::kRejected;
    case v1::JOB_END_OUT_OF_MEMORY:
      return job_feed_messages::kOutOfMemory;
    default:
      return job_feed_messages::kEndUnknown;
  }
}

std::string ReasonOf(const Job& job) {
  if (!HasEnded(job)) return job.reason.text;
  std::string reason = job.reason.text;
  if (reason.empty()) {
    reason = FormatMessage(LabelOf(job.end));
  } else if (job.end == v1::JOB_END_FAILED) {
    reason =
        FormatMessage(job_feed_messages::kItFailedBecause, {{"cause", reason}});
  }
  if (job.advice.empty()) return reason;
  return FormatMessage(job_feed_messages::kReasonAndAdvice,
                       {{"reason", reason}, {"advice", job.advice}});
}

}  // namespace

bool HasAppToOpen(const Job& job) {
  return !IsBatch(job) && !IsLinkedJob(job) && job.spec.builds.empty();
}

std::optional<JobStatus> JobStatusOf(const Job& job) {
  if (!HasAppToOpen(job)) return std::nullopt;
  JobStatus status{.state = job.state == v1::JOB_STATE_SUBMITTING
                                ? v1::JOB_STATE_PENDING
                                : job.state,
                   .reason = Readable(ReasonOf(job), kMaxReason)};
  if (job.state == v1::JOB_STATE_PENDING) {
    status.expected_start = job.expected_start;
  }
  if (!IsRunning(job)) return status;
  status.ends_at = job.ends_at;
  for (const JobApp& app : job.apps) {
    if (!IsApp(app.id)) continue;
    status.apps.push_back(app);
    status.apps.back().detail = Readable(app.detail.text, kMaxReason);
  }
  return status;
}

void JobStatuses::Set(const JobId& job, const JobStatus& status, absl::Time now,
                      const OnChange& on_change) {
  const auto [place, fresh] = all_.try_emplace(job, status);
  if (!fresh && place->second == status) return;
  const bool ended_before =
      !fresh && place->second.state == v1::JOB_STATE_ENDED;
  place->second = status;
  on_change(job, status);
  if (status.state == v1::JOB_STATE_ENDED && !ended_before) {
    ended_.emplace_back(job, now);
  }
  while (ended_.size() > kMaxEnded ||
         (!ended_.empty() && ended_.front().second + kMaxEndedAge < now)) {
    all_.erase(ended_.front().first);
    on_change(ended_.front().first, JobStatus());
    ended_.pop_front();
  }
}

}  // namespace carme::backend
