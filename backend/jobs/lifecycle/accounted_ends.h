// Finds out from slurmdbd how jobs ended: those that slurmctld no longer has,
// and those that were cancelled without saying by whom.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_ACCOUNTED_ENDS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_ACCOUNTED_ENDS_H_

#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/snapshot.h"
#include "common/clock.h"

namespace carme::backend {

// The runs of a job that are over, as slurmctld would have reported them: of an
// array one for each task. None: not all of it is over yet. Pure.
std::vector<SlurmJob> EndedRuns(const Job& job,
                                const std::vector<AccountedRun>& runs);

// Thread-safe. One thread asks, since slurmdbd may take seconds and the watcher
// of Slurm must not wait.
class AccountedEnds {
 public:
  // For how long a job waits for an end in slurmdbd: where slurmctld has said
  // that it ended, where it does not have the job and slurmdbd responds, and
  // where slurmdbd does not answer.
  static constexpr absl::Duration kCancelTimeout = absl::Seconds(20);
  static constexpr absl::Duration kMissingTimeout = absl::Seconds(30);
  static constexpr absl::Duration kUnreachableTimeout = absl::Minutes(10);

  // Both must outlive this.
  AccountedEnds(SlurmUsage* usage, const Clock* clock);
  // Waits for the question that is under way.
  ~AccountedEnds();

  // Whether slurmdbd may know more about how the job ended.
  bool MayKnowMore(const Job& ended) const;
  // Does not block. Absent: slurmdbd is being asked, call again. Empty: it has
  // no end of the job, or did not answer in time.
  std::optional<std::vector<SlurmJob>> Find(const Job& ended);

 private:
  struct Wanted {
    Job job;
    absl::Time since;
    absl::Time wanted_at;  // by the last call
    std::optional<absl::Time> answered_at{};  // by slurmdbd, without an end
    std::vector<SlurmJob> runs{};
  };
  void Run();
  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  SlurmUsage* const usage_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  std::map<JobId, Wanted> wanted_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_ACCOUNTED_ENDS_H_
