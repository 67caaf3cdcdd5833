// Holds the records against what Slurm says, after each poll. A crash at any
// point of a submission leaves a record that is found here again: adopted when
// Slurm has the job, ended when it does not, and a job that turns up after its
// record was ended is cancelled.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_RECONCILER_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_RECONCILER_H_

#include <map>
#include <set>
#include <vector>

#include "backend/jobs/lifecycle/accounted_ends.h"
#include "backend/jobs/lifecycle/cancel_queue.h"
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/jobs/store/job_store.h"
#include "backend/jobs/lifecycle/failure_log.h"
#include "backend/jobs/lifecycle/limit_enforcer.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/slurm/snapshot.h"
#include "common/clock.h"

namespace carme::backend {

// Used by one thread, the watcher's. Invariants: a Slurm job of another uid
// than the record's is never looked at, whatever its comment says; a record
// whose Slurm id is known keeps that job whatever the comment says
// (slurm_identity.h), and no comment leads to the cancellation of it; of several
// Slurm jobs with the same comment, one belongs to the record for good; while
// Slurm does not answer nothing changes.
class Reconciler {
 public:
  struct Parts {
    ActiveJobs* active;
    JobStore* store;
    JobFeed* feed;
    CancelQueue* cancel_queue;
    const Clock* clock;
    FailureLog* failure_log = nullptr;  // null: nobody reads them
    AccountedEnds* accounted_ends = nullptr;  // null: slurmdbd is not asked
    LimitEnforcer* limit_enforcer = nullptr;  // null: changed jobs are not checked
  };
  explicit Reconciler(const Parts& parts) : parts_(parts) {}

  void Look(const SlurmSnapshot& snapshot);

 private:
  struct Holder {
    JobId record;
    SlurmIdentity identity;
  };
  // The snapshot's jobs by what they may belong to.
  struct Claims {
    std::multimap<JobId, const SlurmJob*> by_comment;
    std::multimap<SlurmJobId, const SlurmJob*> by_id;  // of arrays the array's
    // Records by their Slurm ids: two where Slurm gave an id again.
    std::multimap<SlurmJobId, Holder> holders;
  };
  Claims ClaimsOn(const SlurmSnapshot& snapshot);
  void RefreshJob(ActiveJob& active, const Claims& claims,
              const SlurmSnapshot& snapshot);
  // The Slurm job that belongs to the record, or an array's tasks; none when
  // there is none.
  std::vector<const SlurmJob*> Choose(const Job& job, const Claims& claims);
  static std::vector<const SlurmJob*> Adoptable(const Job& job,
                                                const Claims& claims);
  // Whether another record with the same Slurm id has the job.
  static bool IsOthers(const Claims& claims, const Job& job,
                       const SlurmJob& slurm);
  // The job with what slurmdbd knows of its end; as it was while slurmdbd is
  // being asked.
  Job WithAccounting(const Job& before, Job ended, const Observation& sighting,
                     const TaskEndDetails& words);
  // Ends companions whose job is over: they hold nodes for nobody.
  void StopOrphans();
  // A Slurm job whose record is not live.
  void LookAtStray(const SlurmJob& slurm);
  void WarnOnce(const SlurmJob& slurm, const char* event);

  const Parts parts_;
  std::set<JobId> seen_;           // live in this look
  std::set<SlurmJobId> chosen_;    // the Slurm jobs of live records
  std::set<SlurmJobId> warned_;    // those logged that are still there
  std::set<SlurmJobId> not_ours_;  // strays that are none of our business
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_RECONCILER_H_
