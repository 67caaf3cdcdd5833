// Warns about idle interactive jobs, and stops them.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/idle_policy.h"
#include "backend/jobs/lifecycle/job_activity.h"
#include "backend/store/database.h"
#include "backend/templates/template_lookup.h"
#include "common/clock.h"

namespace carme::backend {

// The use of a job as its agent observes it.
struct ObservedUse {
  absl::Duration unused{};                // since the last use of any kind
  std::optional<absl::Duration> input{};  // since a person's last input
};

// Receives how long jobs have not been used. Thread-safe.
class AgentActivity {
 public:
  virtual ~AgentActivity() = default;
  // Called for each report of the job's agent. May block for the database.
  virtual void OnAgentActivity(const JobId& id, const ObservedUse& use) = 0;
};

// Thread-safe. The state is not stored: after a restart a job is warned about
// again.
class IdleMonitor : public AgentActivity {
 public:
  // All must outlive this.
  struct Parts {
    ActiveJobs* active;
    Database* database;
    CancelQueue* cancel_queue;
    const Clock* clock;
    IdleTimes site;
    const TemplateLookup* templates;  // null: there are no templates
  };
  explicit IdleMonitor(Parts parts) : parts_(std::move(parts)) {}

  // Does nothing while the template is not known.
  void OnAgentActivity(const JobId& id, const ObservedUse& use) override;
  // A proxy reports connections and bytes, which are shown and do not count as
  // use. Does not block.
  void OnProxyActivity(const JobId& id, const std::string& instance,
                       const ProxyActivity& saw);
  // The user was active in the portal. FAILED_PRECONDITION: the job is not
  // running.
  absl::StatusOr<Job> KeepAlive(const JobId& id);

 private:
  absl::StatusOr<IdleTimes> TimesOf(const Job& job) const;
  void Warn(const Job& job, const IdleTimes& times, absl::Duration idle);
  absl::Status Post(const Job& job, const std::string& what, std::string text);

  const Parts parts_;
};

// Clears the use of a job that is no longer reported: it is neither idle nor in
// use. Call at each poll.
void DiscardUnseenUse(absl::Time now, ActiveJob* active);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_
