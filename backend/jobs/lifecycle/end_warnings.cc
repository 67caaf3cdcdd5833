#include "backend/jobs/lifecycle/end_warnings.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/model/job_time.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/notifications/event.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kLead = absl::Minutes(10);
constexpr absl::Duration kShortest = absl::Minutes(10);

}  // namespace

bool EndsSoon(const Job& job, absl::Time now) {
  // Each task of an array has its own walltime.
  if (!IsRunning(job) || IsLinkedJob(job) || IsArray(job) || !job.started_at ||
      !job.ends_at) {
    return false;
  }
  const absl::Duration walltime = *job.ends_at - *job.started_at;
  if (walltime < kShortest) return false;
  const absl::Duration lead = std::min(kLead, walltime / 10);
  return now >= *job.ends_at - lead && now < *job.ends_at;
}

void EndWarnings::OnPoll() {
  const absl::Time now = clock_->Now();
  std::vector<Job> ending;
  active_->ForEach([&](const Job& job) {
    if (!EndsSoon(job, now)) return;
    const auto notified = notified_.find(job.id);
    if (notified == notified_.end() || notified->second != *job.ends_at) {
      ending.push_back(job);
    }
  });
  for (const Job& job : ending) {
    if (Notify(job, now)) notified_[job.id] = *job.ends_at;
  }
  std::erase_if(notified_, [&](const auto& row) { return row.second < now; });
}

bool EndWarnings::Notify(const Job& job, absl::Time now) {
  const Event event{
      .uid = job.owner_uid,
      .kind = v1::NOTIFICATION_KIND_JOB_ENDS_SOON,
      .subject = job.id.value(),
      .text = MakeText(
          with_extensions_ ? job_lifecycle_messages::kEndsSoonExtendable
                           : job_lifecycle_messages::kEndsSoon,
          {{"job", job.spec.name}, {"time", DurationText(*job.ends_at - now)}}),
      .key = absl::StrCat("ends-soon/", job.id.value(), "/",
                          absl::ToUnixSeconds(*job.ends_at))};
  const absl::Status posted = database_->Transact(
      [&](Database& db) { return PostEvent(db, event, now); });
  if (!posted.ok()) {
    LogError("warning before a job's end not written",
             {{"job", job.id.value()}, {"error", StatusText(posted)}});
  }
  return posted.ok();
}

}  // namespace carme::backend
