// Reconciles the records with Slurm after each poll. A crash at any point of a
// submission leaves a record that is resolved here: the Slurm job is adopted,
// or the record ended if there is none. A job that appears after its record
// ended is cancelled. After a restore of the database, a job that is newer than
// the backup gets a new record (found_job.h). While Slurm does not respond
// nothing changes.
//
//   record without a Slurm id:
//     a job with this comment and the owner's uid, not older than the record,
//     of no other record: adopted; the lowest id if there are several
//     no job for 60 s, no submission in progress: ended, NOT_SUBMITTED; the key
//     is free
//     no job, and no poll for longer than MinJobAge: ended, UNKNOWN; the key
//     stays used
//   record with a Slurm id:
//     that job, by id, uid and submission time: follows Slurm's state
//     missing in a poll 10 s newer than the id: ended as slurmdbd reports;
//     UNKNOWN without slurmdbd, without an end after 30 s, or without a
//     response for 10 min
//   lost by a restore: a job of one user with the comment, newer than the
//     backup, is recorded again, without app or command
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_RECONCILER_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_RECONCILER_H_

#include <map>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/lifecycle/accounted_ends.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/lifecycle/failure_log.h"
#include "backend/jobs/lifecycle/limit_enforcer.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/jobs/state/found_job.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/jobs/store/job_store.h"
#include "backend/node_history/node_history.h"
#include "backend/slurm/snapshot.h"
#include "common/clock.h"

namespace carme::backend {

// Used by the polling thread only. Invariants: a Slurm job of another uid than
// the record's is ignored, whatever its comment is; a record with a known
// Slurm id keeps that job whatever the comment is (slurm_identity.h), and no
// comment leads to its cancellation; of several Slurm jobs with the same
// comment only one ever belongs to the record; nothing changes while Slurm does
// not respond.
class Reconciler {
 public:
  struct Parts {
    ActiveJobs* active;
    JobStore* store;
    JobFeed* feed;
    CancelQueue* cancel_queue;
    const Clock* clock;
    FailureLog* failure_log = nullptr;        // null: logs are not read
    AccountedEnds* accounted_ends = nullptr;  // null: slurmdbd is not queried
    LimitEnforcer* limit_enforcer = nullptr;  // null: not checked
    NodeHistory* node_history = nullptr;      // null: ends are not recorded
  };
  explicit Reconciler(const Parts& parts) : parts_(parts) {}

  // Reads when the database was restored. Call once, before the first poll.
  absl::Status Load();
  void OnPoll(const SlurmSnapshot& snapshot);

 private:
  struct Holder {
    JobId record;
    SlurmIdentity identity;
  };
  // The jobs of the snapshot by the records they may belong to.
  struct Claims {
    std::multimap<JobId, const SlurmJob*> by_comment;
    std::multimap<SlurmJobId, const SlurmJob*> by_id;  // by array id for tasks
    // Records by Slurm id: two if Slurm reused an id.
    std::multimap<SlurmJobId, Holder> holders;
  };
  Claims ClaimsOn(const SlurmSnapshot& snapshot);
  void RefreshJob(ActiveJob& active, const Claims& claims,
                  const SlurmSnapshot& snapshot);
  // The Slurm job of the record, or the tasks of its array; may be empty.
  std::vector<const SlurmJob*> Choose(const Job& job, const Claims& claims);
  static std::vector<const SlurmJob*> Adoptable(const Job& job,
                                                const Claims& claims);
  // Whether the job belongs to another record with the same Slurm id.
  static bool IsOthers(const Claims& claims, const Job& job,
                       const SlurmJob& slurm);
  // The job with its end from slurmdbd; unchanged while the query is running.
  Job WithAccounting(const Job& before, Job ended,
                     const Observation& observation,
                     const TaskEndDetails& end_details);
  // Stops linked jobs whose job has ended.
  void StopOrphans();
  // Handles a Slurm job without an active record.
  void CheckStrayJob(const SlurmJob& slurm, const Claims& claims);
  // Whether the job's record may be one that a restore has lost.
  bool MayRecord(const SlurmJob& slurm, const Claims& claims) const;
  void RecordFound(const SlurmJob& slurm);
  void WarnOnce(const SlurmJob& slurm, const char* event);

  const Parts parts_;
  std::vector<RestoreGap> gaps_;
  std::set<JobId> seen_;           // active in this poll
  std::set<SlurmJobId> chosen_;    // the Slurm jobs of active records
  std::set<SlurmJobId> warned_;    // logged and still present
  std::set<SlurmJobId> not_ours_;  // stray jobs that are not Carme's
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_RECONCILER_H_
