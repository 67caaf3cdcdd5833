// Returns nodes of jobs to Slurm, as the jobs' owners, because their GPUs are
// idle. On a thread of its own, because an operation may block for seconds.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_NODE_RETURNS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_NODE_RETURNS_H_

#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/activity/idle_nodes.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// Thread-safe. The queue is not stored: after a restart the jobs are warned
// about again.
class NodeReturns {
 public:
  // All must outlive this. The destructor waits for the running operation.
  struct Parts {
    ActiveJobs* active;
    Scheduler* scheduler;
    Submitter* submitter;
    AuditLog* audit;
    const Clock* clock;
  };
  explicit NodeReturns(Parts parts) : parts_(parts) {}

  // Does not block. Ignored while nodes of the job are being returned, and
  // shortly afterwards. Nodes whose warning was withdrawn until their turn are
  // not returned.
  void Enqueue(const Job& job, const IdleNodeGroup& due);

 private:
  struct NodeReturn {
    PosixUser user;
    SlurmJobId slurm_job;
    IdleNodeGroup due;
  };
  absl::Duration ReturnNext();
  void Return(const JobId& id, NodeReturn next);
  // Keeps the nodes that are still to be returned; false: there are none.
  bool KeepDue(const JobId& id, IdleNodeGroup* due);

  const Parts parts_;
  absl::Mutex mutex_;
  std::map<JobId, NodeReturn> waiting_ ABSL_GUARDED_BY(mutex_);
  std::map<JobId, absl::Time> requested_at_ ABSL_GUARDED_BY(mutex_);
  BackgroundThread thread_{"node-returns", [this] { return ReturnNext(); }};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_NODE_RETURNS_H_
