// All jobs that have not ended, in memory: the only place where a job changes.
// A change reaches the database, the watchers and the routes in the same order.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_ACTIVE_JOBS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_ACTIVE_JOBS_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/activity/idle_nodes.h"
#include "backend/jobs/activity/idle_policy.h"
#include "backend/jobs/activity/job_activity.h"
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/store/job_store.h"
#include "backend/jobs/store/write_behind.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// A job, with state that only this process has.
struct ActiveJob {
  Job job{};
  bool submitting = false;            // a thread waits for the submitter
  absl::Time known_since{};           // when this process learned the Slurm id
  absl::Time stopping_since{};        // when this process observed the stop
  bool cancel_pending = false;        // stopping, and Slurm may not know it
  WriteBehind::Ticket last = 0;       // of the last change
  LinkedJob node_report{};            // null: not reported by the agent
  bool stop_accepted = false;         // Slurm has accepted a stop
  TaskEndDetails task_end_details{};  // of failed tasks of an array
  // When Slurm last changed the job for the backend: older polls are outdated.
  absl::Time changed_at{};
  // The last poll that would have shown the job before its Slurm id was known,
  // and whether the time between two such polls was too long.
  absl::Time observed_at{};
  bool gap_in_polling = false;
  IdleState idle{};        // of its use
  IdleState gpu_idle{};    // of its GPUs
  IdleNodes idle_nodes{};  // whose policy returns nodes
  // Without a program of the job, as its agent reports.
  std::set<std::string> returnable_nodes{};
  ActivityState activity{};
};

// Thread-safe. Invariant: a job stays here until its end is in the database, so
// at any time one of the two has its newest state.
class ActiveJobs {
 public:
  // All must outlive this.
  ActiveJobs(JobStore* store, JobFeed* feed, Routes* routes);

  // Loads the active jobs. Call first after a start.
  absl::Status Load(absl::Time now);
  // Adds a job whose row was just inserted and which will be submitted.
  void Add(const Job& job, absl::Time now);

  // Applies `change` to the job. Nothing: it has ended or is not active. Pass
  // the ticket to Wait if the change must be durable.
  using Edit = std::function<void(ActiveJob&)>;
  struct Changed {
    Job job;
    WriteBehind::Ticket ticket = 0;
  };
  std::optional<Changed> Change(const JobId& id, const Edit& edit);
  absl::Status Wait(WriteBehind::Ticket ticket) { return writer_.Wait(ticket); }

  // Change for all jobs, under one lock.
  void ChangeAll(const Edit& edit);

  // Change for a job that has ended and is not in the database yet. False: it
  // is not here.
  bool ChangeEnded(const JobId& id, const Edit& edit);

  // Calls `look` for each job, under one lock: it must not block or call back.
  void ForEach(const std::function<void(const Job&)>& look);

  std::optional<Job> Find(const JobId& id);
  bool Has(const JobId& id);  // and it has not ended
  // The active job with this identity in Slurm (slurm_identity.h).
  std::optional<JobId> RecordOf(const SlurmJob& slurm);
  std::vector<Job> Of(const std::string& owner);
  std::vector<Job> All();
  int CountOf(const std::string& owner);  // that have not ended
  std::map<JobState, int> CountByState();

  // The agent's report about the nodes of a running job; null: a new agent.
  void SetLinkedJob(const JobId& id, const LinkedJob& report);
  // The agent's report which nodes of its job can be returned to Slurm. Other
  // names are dropped.
  void SetReturnableNodes(const JobId& id, std::set<std::string> nodes);
  // The linked jobs to send to the agent; nothing: not known, then the agent
  // keeps the last ones.
  std::optional<LinkedJobs> LinkedJobsOf(const JobId& id);
  // The active jobs that add nodes to this job, oldest first.
  std::vector<Job> JobsLinkedTo(const JobId& id);
  // Linked jobs that are not stopping although the job that they joined ended.
  std::vector<Job> Orphans();
  // Blocks until all ends of the owner's jobs are written, so that a count in
  // the database is up to date.
  void FlushEnds(const std::string& owner);
  // Removes jobs whose end is in the database.
  void DropWritten();

 private:
  std::vector<const ActiveJob*> ActiveJobsLinkedTo(const JobId& id) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void Apply(ActiveJob& active, const Edit& edit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ShowRoute(const Job& job);

  JobStore* const store_;
  JobFeed* const feed_;
  Routes* const routes_;
  WriteBehind writer_;
  absl::Mutex mutex_;
  std::map<JobId, ActiveJob> jobs_ ABSL_GUARDED_BY(mutex_);
  // From a job to its linked jobs; both are in jobs_.
  std::multimap<JobId, JobId> linked_ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_ACTIVE_JOBS_H_
