// Queries slurmdbd for how jobs ended: jobs that slurmctld no longer has, and
// cancelled jobs whose canceller slurmctld does not report.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_ACCOUNTED_ENDS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_ACCOUNTED_ENDS_H_

#include <map>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/snapshot.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// The finished runs of a job as slurmctld would have reported them, one per
// task for an array. Empty: the job has not ended completely. Pure.
std::vector<SlurmJob> EndedRuns(const Job& job,
                                const std::vector<AccountedRun>& runs);

// Thread-safe. A thread queries slurmdbd, which may take seconds; the polling
// thread must not wait.
class AccountedEnds {
 public:
  // How long a job waits for its end from slurmdbd: if slurmctld has reported
  // the end, if slurmctld does not have the job and slurmdbd responds, and if
  // slurmdbd does not respond.
  static constexpr absl::Duration kCancelTimeout = absl::Seconds(20);
  static constexpr absl::Duration kMissingTimeout = absl::Seconds(30);
  static constexpr absl::Duration kUnreachableTimeout = absl::Minutes(10);

  // Both must outlive this. The destructor waits for the running query.
  AccountedEnds(SlurmUsage* usage, const Clock* clock)
      : usage_(usage), clock_(clock) {}

  // Whether slurmdbd may have more information about the end.
  bool MayKnowMore(const Job& ended) const;
  // Does not block. Absent: the query is running, call again. Empty: slurmdbd
  // has no end of the job, or did not respond in time.
  std::optional<std::vector<SlurmJob>> Find(const Job& ended);

 private:
  struct Wanted {
    Job job;
    absl::Time since;
    absl::Time wanted_at;                     // by the last call
    std::optional<absl::Time> answered_at{};  // by slurmdbd, without an end
    std::vector<SlurmJob> runs{};
  };
  // The jobs whose ends are not known yet, as many as one query takes.
  std::vector<SlurmJobId> JobsToQuery();
  absl::Duration QueryOnce();

  SlurmUsage* const usage_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  std::map<JobId, Wanted> wanted_ ABSL_GUARDED_BY(mutex_);
  bool is_silent_ = false;  // slurmdbd; used by the thread only
  BackgroundThread thread_{"accounted-ends", [this] { return QueryOnce(); }};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_ACCOUNTED_ENDS_H_
