#include "backend/jobs/feeds/job_notifications.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

// After this time the user no longer waits for the submission.
constexpr absl::Duration kAnswerSeen = absl::Seconds(30);

std::string NameOf(const Job& job) {
  if (!job.spec.linked_to.empty()) {
    return absl::StrCat("The job \"", job.spec.name,
                        "\" that adds nodes to another job");
  }
  return absl::StrCat("Your job \"", job.spec.name, "\"");
}

std::string Sentence(std::string text) {
  if (!absl::EndsWith(text, ".")) text += ".";
  return text;
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

const char* VerbOf(JobEnd end) {
  switch (end) {
    case v1::JOB_END_STOPPED:
    case v1::JOB_END_TIME_LIMIT:
      return " was ended";
    case v1::JOB_END_NOT_SUBMITTED:
      return " was not started";
    case v1::JOB_END_UNKNOWN:
      return " has ended in an unknown way";
    default:
      return " has failed";
  }
}

Event EventOf(const Job& job, EventKind kind, std::string text,
              const std::string& key) {
  return {.uid = job.owner_uid,
          .kind = kind,
          .subject = job.id.value(),
          .text = Sentence(std::move(text)),
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
        {EventOf(job, v1::NOTIFICATION_KIND_JOB_STARTED,
                 absl::StrCat(NameOf(job), " has started"),
                 // A requeued job that starts again is notified again.
                 absl::StrCat("started:", absl::ToUnixMicros(*job.ready_at))),
         *job.ready_at});
  }
  if (had_ended || !job.ended_at) return news;
  if (IsFailure(job)) {
    news.push_back(
        {EventOf(job, v1::NOTIFICATION_KIND_JOB_FAILED,
                 absl::StrCat(NameOf(job), VerbOf(job.end),
                              job.reason.empty() ? "" : ": ", job.reason),
                 "ended"),
         *job.ended_at});
  } else if (job.end == v1::JOB_END_COMPLETED && job.spec.linked_to.empty()) {
    news.push_back({EventOf(job, v1::NOTIFICATION_KIND_JOB_ENDED,
                            absl::StrCat(NameOf(job), " has ended"), "ended"),
                    *job.ended_at});
  }
  return news;
}

}  // namespace carme::backend
