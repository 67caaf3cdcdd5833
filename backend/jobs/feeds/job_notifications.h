// The notifications for the owner of a job. Pure.
#ifndef CARME_BACKEND_JOBS_FEEDS_JOB_NOTIFICATIONS_H_
#define CARME_BACKEND_JOBS_FEEDS_JOB_NOTIFICATIONS_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/notifications/event.h"

namespace carme::backend {

struct JobNotification {
  Event event;
  absl::Time at;
};

// `was_ready_at`, `had_ended`: as of the last notification. There is no
// notification when the user stopped the job or saw the submission fail, nor
// for the start of a linked job or of a job that builds an image. IdleMonitor
// notifies of idle jobs.
std::vector<JobNotification> NotificationsFor(
    std::optional<absl::Time> was_ready_at, bool had_ended, const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_FEEDS_JOB_NOTIFICATIONS_H_
