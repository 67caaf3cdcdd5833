#include "backend/jobs/feeds/job_notifications.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/jobs/feeds/messages.h"

namespace carme::backend {
namespace {

// After this time the user no longer waits for the submission.
constexpr absl::Duration kAnswerSeen = absl::Seconds(30);

// The templates end with a period.
DisplayText WithoutPeriod(DisplayText cause) {
  if (absl::EndsWith(cause.text, ".")) cause.text.pop_back();
  return cause;
}

// Whether it ended abnormally, and not by its user.
bool IsFailure(const Job& job) {
  switch (job.end) {
    case v1::JOB_END_UNSPECIFIED:
    case v1::JOB_END_COMPLETED:
      return false;
    case v1::JOB_END_STOPPED:
      // IdleMonitor notified the owner when it stopped the job.
      if (job.idle && job.idle->stopped) return false;
      // AdminJobs notified the owner, with the administrator's reason.
      if (AdminStopOf(job) != nullptr) return false;
      return job.stopped_by != v1::JOB_STOPPED_BY_USER && !job.reason.empty() &&
             job.spec.linked_to.empty();
    case v1::JOB_END_NOT_SUBMITTED:
      return *job.ended_at - job.created_at > kAnswerSeen;
    default:
      return true;
  }
}

// One kind of failure, of a job and of additional nodes.
struct FailureNotice {
  const TextTemplate& plain;
  const TextTemplate& because;
  const TextTemplate& nodes;
  const TextTemplate& nodes_because;
};

FailureNotice NoticeOf(JobEnd end) {
  switch (end) {
    case v1::JOB_END_STOPPED:
    case v1::JOB_END_TIME_LIMIT:
      return {job_feed_messages::kWasEnded, job_feed_messages::kWasEndedBecause,
              job_feed_messages::kNodesWereEnded,
              job_feed_messages::kNodesWereEndedBecause};
    case v1::JOB_END_NOT_SUBMITTED:
      return {job_feed_messages::kNotStarted,
              job_feed_messages::kNotStartedBecause,
              job_feed_messages::kNodesNotStarted,
              job_feed_messages::kNodesNotStartedBecause};
    case v1::JOB_END_UNKNOWN:
      return {job_feed_messages::kEndedUnknown,
              job_feed_messages::kEndedUnknownBecause,
              job_feed_messages::kNodesEndedUnknown,
              job_feed_messages::kNodesEndedUnknownBecause};
    default:
      return {job_feed_messages::kFailed, job_feed_messages::kFailedBecause,
              job_feed_messages::kNodesFailed,
              job_feed_messages::kNodesFailedBecause};
  }
}

DisplayText FailureTextOf(const Job& job) {
  const FailureNotice notice = NoticeOf(job.end);
  const bool is_own = job.spec.linked_to.empty();
  if (job.reason.empty()) {
    return MakeText(is_own ? notice.plain : notice.nodes,
                    {{"job", job.spec.name}});
  }
  return MakeText(
      is_own ? notice.because : notice.nodes_because,
      {{"job", job.spec.name}, {"cause", WithoutPeriod(job.reason)}});
}

Event EventOf(const Job& job, EventKind kind, DisplayText text,
              const std::string& key) {
  return {.uid = job.owner_uid,
          .kind = kind,
          .subject = job.id.value(),
          .text = std::move(text),
          .key = absl::StrCat("job:", job.id.value(), ":", key)};
}

}  // namespace

std::vector<JobNotification> NotificationsFor(
    std::optional<absl::Time> was_ready_at, bool had_ended, const Job& job) {
  std::vector<JobNotification> news;
  const bool plain = job.spec.linked_to.empty() && job.spec.builds.empty();
  const bool is_told =
      job.ready_at && was_ready_at &&
      absl::ToUnixMicros(*job.ready_at) == absl::ToUnixMicros(*was_ready_at);
  if (job.ready_at && !is_told && plain) {
    news.push_back(
        {EventOf(
             job, v1::NOTIFICATION_KIND_JOB_STARTED,
             MakeText(job_feed_messages::kStarted, {{"job", job.spec.name}}),
             // A requeued job that starts again is notified again.
             absl::StrCat("started:", absl::ToUnixMicros(*job.ready_at))),
         *job.ready_at});
  }
  if (had_ended || !job.ended_at) return news;
  if (IsFailure(job)) {
    news.push_back({EventOf(job, v1::NOTIFICATION_KIND_JOB_FAILED,
                            FailureTextOf(job), "ended"),
                    *job.ended_at});
  } else if (job.end == v1::JOB_END_COMPLETED && job.spec.linked_to.empty()) {
    news.push_back({EventOf(job, v1::NOTIFICATION_KIND_JOB_ENDED,
                            MakeText(job_feed_messages::kCompleted,
                                     {{"job", job.spec.name}}),
                            "ended"),
                    *job.ended_at});
  }
  return news;
}

}  // namespace carme::backend
