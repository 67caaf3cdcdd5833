// The one watcher of Slurm: asks at an interval what is new, for everybody.
#ifndef CARME_BACKEND_SLURM_POLL_SLURM_SCHEDULER_H_
#define CARME_BACKEND_SLURM_POLL_SLURM_SCHEDULER_H_

#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/slurm/poll/async_slurm_query.h"
#include "backend/slurm/poll/poll_scheduler.h"
#include "backend/slurm/query/slurm_query.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/slurm_config.h"

namespace carme::backend {

// Thread-safe.
//   1. The listener is called about every `poll_interval`, also while libslurm
//      hangs; less often where reading Slurm's answers would take more than 4 %
//      of a processor, or 20 % while it is hurried all the time.
//   2. Slurm gets one round of questions at a time, ten a second at most; where
//      a round for everything costs much, some jobs alone are asked for between
//      two of them, at most 32 five times a second.
class SlurmScheduler : public Scheduler {
 public:
  // FAILED_PRECONDITION: slurm.conf cannot be read. A controller that is away
  // is no error: the snapshots say so.
  static absl::StatusOr<std::unique_ptr<SlurmScheduler>> Create(
      const SlurmConfig& config);
  ~SlurmScheduler() override;

  // After OnPoll.
  void Start();
  // No listener runs any more when it returns, within a second or the time of
  // a listener's call. Start cannot follow.
  void Stop();

  SlurmSnapshotPtr Snapshot() const override;
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)> listener) override;
  void RefreshSoon() override;
  void RefreshJob(SlurmJobId job) override;
  void RefreshResourcesSoon() override;
  bool RefreshResources(absl::Duration timeout) override;
  bool RefreshAccounting(absl::Duration timeout) override;
  void TrackUntilEnd(SlurmJobId job) override;
  void Track(SlurmJobId job) override;
  void TrackOnly(std::set<SlurmJobId> jobs) override;

 private:
  explicit SlurmScheduler(const SlurmConfig& config);
  void Watch();
  // Until the next look is due, or at once while one is under way. False:
  // stopped.
  bool AwaitDue(bool under_way);
  std::vector<SlurmJobId> Begin(absl::Time now, PollScope* scope);
  // When a look for `wanted_` may begin; infinite: nothing is wanted.
  absl::Time WantedAt() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  // Until `is_fresh` holds for the snapshot. False: it does not.
  template <typename Predicate>
  bool AwaitFresh(PollScope wanted, const Predicate& is_fresh,
                  absl::Duration timeout);
  void Publish(SlurmSnapshotPtr snapshot);
  bool IsWanted() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return stopped_ || wished_;
  }

  const SlurmConfig config_;
  AsyncSlurmQuery asker_;
  std::function<void(const SlurmSnapshotPtr&)> listener_;
  mutable absl::Mutex mutex_;
  SlurmSnapshotPtr snapshot_ ABSL_GUARDED_BY(mutex_);
  PollScheduler plan_ ABSL_GUARDED_BY(mutex_);
  PollScope wanted_ ABSL_GUARDED_BY(mutex_);  // by callers, of the next look
  absl::Time wanted_begun_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;      // for a refresh
  bool wished_ ABSL_GUARDED_BY(mutex_) = false;  // since plan_ was asked
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_SLURM_SCHEDULER_H_
