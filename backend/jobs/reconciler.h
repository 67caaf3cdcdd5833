// Holds the records against what Slurm says, after each poll. A crash at any
// point of a submission leaves a record that is found here again: adopted when
// Slurm has the job, ended when it does not, and a job that turns up after its
// record was ended is cancelled.
#ifndef CARME_BACKEND_JOBS_RECONCILER_H_
#define CARME_BACKEND_JOBS_RECONCILER_H_

#include <map>
#include <set>
#include <vector>

#include "backend/jobs/canceller.h"
#include "backend/jobs/job_feed.h"
#include "backend/jobs/job_store.h"
#include "backend/jobs/last_words.h"
#include "backend/jobs/live_jobs.h"
#include "backend/slurm/snapshot.h"
#include "common/clock.h"

namespace carme {

// Used by one thread, the watcher's. Invariants: a Slurm job of another uid
// than the record's is never looked at, whatever its comment says; of several
// Slurm jobs with the same comment, one belongs to the record for good; while
// Slurm does not answer nothing changes.
class Reconciler {
 public:
  struct Parts {
    LiveJobs* live;
    JobStore* store;
    JobFeed* feed;
    Canceller* canceller;
    const Clock* clock;
    LastWords* last_words = nullptr;  // null: nobody reads them
  };
  explicit Reconciler(const Parts& parts) : parts_(parts) {}

  void Look(const SlurmSnapshot& snapshot);

 private:
  using Claims = std::multimap<JobId, const SlurmJob*>;
  void LookAt(LiveJob& live, const Claims& claims,
              const SlurmSnapshot& snapshot);
  // The Slurm job that belongs to the record, or an array's tasks; none when
  // there is none.
  std::vector<const SlurmJob*> Choose(const Job& job, const Claims& claims);
  // Ends companions whose job is over: they hold nodes for nobody.
  void StopOrphans();
  // A Slurm job whose record is not live.
  void LookAtStray(const SlurmJob& slurm);
  void WarnOnce(const SlurmJob& slurm, const char* event);

  const Parts parts_;
  std::set<JobId> seen_;           // live in this look
  std::set<SlurmJobId> warned_;    // those logged that are still there
  std::set<SlurmJobId> not_ours_;  // strays that are none of our business
};

}  // namespace carme

#endif  // CARME_BACKEND_JOBS_RECONCILER_H_
