// What the owner of a job is told of it. Pure.
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

// `was_ready_at` and `had_ended`: as it was told last. A job that its user
// ended is no news to them, nor what came of a submission while they looked;
// of a companion, and of a job that makes an image, a start is none. A job that
// was stopped because it was idle has been prepared by IdleMonitor.
std::vector<JobNotification> NotificationsFor(std::optional<absl::Time> was_ready_at,
                              bool had_ended, const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_FEEDS_JOB_NOTIFICATIONS_H_
