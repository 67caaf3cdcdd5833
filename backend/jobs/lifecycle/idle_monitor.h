// Warns about unused interactive jobs and about jobs with idle GPUs, and stops
// them, or returns their idle nodes to Slurm.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/jobs/activity/gpu_use.h"
#include "backend/jobs/activity/idle_nodes.h"
#include "backend/jobs/activity/idle_policy.h"
#include "backend/jobs/activity/job_activity.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/node_returns.h"
#include "backend/store/database.h"
#include "backend/templates/template_lookup.h"
#include "common/clock.h"
#include "common/display_text.h"

namespace carme::backend {

// The use of a job as its agent observes it.
struct ObservedUse {
  absl::Duration unused{};                // since the last use of any kind
  std::optional<absl::Duration> input{};  // since a person's last input
};

// A job whose template has a policy about idle GPUs.
struct GpuJudgedJob {
  JobId id;
  int64_t gpus = 0;  // that it has
  GpuIdlePolicy policy{};
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
    NodeReturns* node_returns;
    const Clock* clock;
    IdleTimes site;
    const TemplateLookup* templates;  // null: there are no templates
  };
  explicit IdleMonitor(Parts parts) : parts_(std::move(parts)) {}

  // Does nothing while the template is not known.
  void OnAgentActivity(const JobId& id, const ObservedUse& use) override;
  // carme-metrics reports the GPUs of a job; a missing one counts as used. Does
  // nothing while the template is not known or has no policy about GPUs, or if
  // they were measured with another threshold. The GPUs of a job count as used
  // while jobs that are linked to it run. May block for the database.
  void OnGpuUse(const JobId& id, const MeasuredGpus& measured);
  // The running jobs whose GPUs have to be measured, without those whose
  // template is not known now. May block for the database.
  std::vector<GpuJudgedJob> ListGpuJudgedJobs() const;
  // A proxy reports connections and bytes, which are shown and do not count as
  // use. Does not block.
  void OnProxyActivity(const JobId& id, const std::string& instance,
                       const ProxyActivity& saw);
  // The user was active in the portal: resets both idle timers.
  // FAILED_PRECONDITION: the job is not running.
  absl::StatusOr<Job> KeepAlive(const JobId& id);

 private:
  // A report about one reason why a job may be idle.
  struct IdleReport {
    IdleState ActiveJob::*state;
    bool (*is_judged)(const Job&);
    IdleTimes times;
    absl::Duration idle;
    std::vector<JobGpu> gpus{};  // empty: about the use of the job
  };

  // Without the time that does not count.
  struct IdleTime {
    absl::Duration counted{};
    absl::Time since{};
  };

  // Of a job; nullopt: it has none.
  absl::StatusOr<std::optional<JobTemplate>> FindTemplate(
      const std::string& job_template) const;
  void Apply(const JobId& id, const IdleReport& report);
  struct JobGpuState {
    bool has_linked;     // jobs that are linked to it run
    bool are_all_known;  // no GPU is missing
  };
  // The part of OnGpuUse about nodes that the job may return.
  void ApplyToNodes(const JobId& id, const GpuIdlePolicy& policy,
                    const MeasuredGpus& measured, const JobGpuState& job);
  absl::Status PostAboutNodes(const Job& job, const char* what,
                              DisplayText text);
  void TellReturned(const Job& job, const IdleNodeGroup& idle);
  void WarnAboutNodes(const Job& job, const IdleTimes& times,
                      const IdleNodeGroup& idle);
  void Warn(const Job& job, const IdleReport& report, const IdleTime& idle);
  void Stop(const Job& job, const IdleReport& report, const IdleTime& idle);
  absl::Status Post(const Job& job, const IdleReport& report,
                    const IdleTime& idle, const char* what, DisplayText text);

  const Parts parts_;
};

// Clears the use of a job that is no longer reported: it is neither idle nor in
// use. Call at each poll.
void DiscardUnseenUse(absl::Time now, ActiveJob* active);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_IDLE_MONITOR_H_
