// Every job that has not ended, in memory: the one place where a job changes.
// A change reaches the table, the watchers and the routes in the same order.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_ACTIVE_JOBS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_ACTIVE_JOBS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/model/linked_jobs.h"
#include "backend/jobs/lifecycle/idle_policy.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/lifecycle/job_activity.h"
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/store/job_store.h"
#include "backend/jobs/store/write_behind.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The reason of a job whose stop is recorded and not done in Slurm yet.
inline constexpr char kStopKept[] =
    "Slurm does not respond: the job is stopped as soon as it does";

// A job and what only this process knows of it.
struct ActiveJob {
  Job job{};
  bool submitting = false;      // a thread waits for the submitter's answer
  absl::Time known_since{};     // when this process learned of its Slurm id
  absl::Time stopping_since{};  // when this process saw it stopping
  bool cancel_pending = false;  // it is stopping, and Slurm may not know it
  WriteBehind::Ticket last = 0;   // of its last change
  LinkedJob member{};              // null: its agent has not said it
  bool stop_accepted = false;   // Slurm has accepted a stop of it
  TaskEndDetails task_end_details{};       // of an array's tasks that have failed
  // When Slurm last changed it for us: a look that is older says less.
  absl::Time changed_at{};
  // When Slurm was last asked and would have shown it, before its Slurm id was
  // known; and whether there was too long a time between two such looks.
  absl::Time observed_at{};
  bool gap_in_polling = false;
  IdleState idle{};
  ActivityState activity{};
};

// Thread-safe. Invariant: a job stays here until its end is in the table, so
// that at any moment one of the two has its newest state.
class ActiveJobs {
 public:
  // All must outlive this.
  ActiveJobs(JobStore* store, JobFeed* feed, Routes* routes);

  // Reads the table, as the first thing after a start.
  absl::Status Load(absl::Time now);
  // A job whose row was just inserted and which is about to be submitted.
  void Add(const Job& job, absl::Time now);

  // Lets `change` edit the job, unless it has ended or is not here: nothing.
  // Give the ticket to Wait where the change must be durable.
  using Edit = std::function<void(ActiveJob&)>;
  struct Changed {
    Job job;
    WriteBehind::Ticket ticket = 0;
  };
  std::optional<Changed> Change(const JobId& id, const Edit& edit);
  absl::Status Wait(WriteBehind::Ticket ticket) { return writer_.Wait(ticket); }

  // As Change for all of them, under one lock.
  void ChangeAll(const Edit& edit);

  // The same for one that has ended and is not in the table yet. False: it is
  // not here.
  bool ChangeEnded(const JobId& id, const Edit& edit);

  // Each of them, under one lock: `look` must not block or call back.
  void ForEach(const std::function<void(const Job&)>& look);

  std::optional<Job> Find(const JobId& id);
  bool Has(const JobId& id);  // and it has not ended
  // The job that has not ended and is this one in Slurm (slurm_identity.h).
  std::optional<JobId> RecordOf(const SlurmJob& slurm);
  std::vector<Job> Of(const std::string& owner);
  std::vector<Job> All();
  int CountOf(const std::string& owner);  // that have not ended

  // What a running job's agent said of its nodes; null: one begins anew.
  void SetLinkedJob(const JobId& id, const LinkedJob& member);
  // What that agent is to be told; nothing while it is not known: then what it
  // was told stays.
  std::optional<LinkedJobs> LinkedJobsOf(const JobId& id);
  // Of this job, that have not ended, the oldest first.
  std::vector<Job> JobsLinkedTo(const JobId& id);
  // Companions that are not stopping although the job that they joined is over.
  std::vector<Job> Orphans();
  // Blocks until no end of the owner's jobs waits to be written, so that a
  // count in the table is not behind.
  void FlushEnds(const std::string& owner);
  // Drops jobs whose end is in the table.
  void DropWritten();

 private:
  using Companions = std::vector<const ActiveJob*>;
  Companions ActiveJobsLinkedTo(const JobId& id) const
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
  // Of a job, in jobs_ too.
  std::multimap<JobId, JobId> companions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_ACTIVE_JOBS_H_
