// Warns about interactive jobs that nobody uses, and stops them.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/idle_policy.h"
#include "backend/jobs/lifecycle/job_activity.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// What a job may be asked by; an error: nobody can tell, which widens nothing.
// Asked on threads that feed streams: it does not block.
using FindTemplate =
    std::function<absl::StatusOr<JobTemplate>(const std::string& id)>;

// Thread-safe. Nothing is kept over a restart: a job is warned about anew then.
class IdleMonitor {
 public:
  // All must outlive this.
  struct Parts {
    ActiveJobs* active;
    Database* database;
    CancelQueue* cancel_queue;
    const Clock* clock;
    IdleTimes site;
    FindTemplate find_template;  // null: there are no templates
  };
  explicit IdleMonitor(Parts parts) : parts_(std::move(parts)) {}

  // What its agent said: for how long it has not been used. Does nothing while
  // its template is not known. May block for the disk.
  void OnAgentActivity(const JobId& id, absl::Duration unused);
  // What a proxy saw of its use: a person's input keeps it, and nothing that a
  // proxy says stops it. Does not block.
  void OnProxyActivity(const JobId& id, const std::string& instance,
                const ProxyActivity& saw);
  // A person does something with it in the portal. FAILED_PRECONDITION: it does
  // not run.
  absl::StatusOr<Job> KeepAlive(const JobId& id);

 private:
  absl::StatusOr<IdleTimes> TimesOf(const Job& job) const;
  void Warn(const Job& job, const IdleTimes& times, absl::Duration idle);
  absl::Status Post(const Job& job, const std::string& what, std::string text);

  const Parts parts_;
};

// What is not seen any more is not idle, nor in use. For each look at a live
// job.
void ForgetUnseenUse(absl::Time now, ActiveJob* active);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_
