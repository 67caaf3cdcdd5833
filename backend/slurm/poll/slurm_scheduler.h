// The one poller of Slurm, for all users.
#ifndef CARME_BACKEND_SLURM_POLL_SLURM_SCHEDULER_H_
#define CARME_BACKEND_SLURM_POLL_SLURM_SCHEDULER_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/slurm/poll/async_slurm_query.h"
#include "backend/slurm/poll/poll_scheduler.h"
#include "backend/slurm/query/slurm_query.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/slurm_config.h"
#include "common/concurrency/background_thread.h"
#include "common/metrics/operation_meter.h"

namespace carme::backend {

// Thread-safe.
//   1. The listener is called about every `poll_interval`, also while libslurm
//      hangs; less often if decoding Slurm's responses would take more than 4 %
//      of a CPU, or 20 % while refreshes are requested all the time.
//   2. One poll runs at a time, at most ten a second. If full polls are
//      expensive, partial polls of at most 32 jobs run between them, five times
//      a second.
class SlurmScheduler : public Scheduler {
 public:
  // FAILED_PRECONDITION: slurm.conf cannot be read. An unreachable controller
  // is not an error; the snapshots report it.
  static absl::StatusOr<std::unique_ptr<SlurmScheduler>> Create(
      const SlurmConfig& config);
  ~SlurmScheduler() override;

  // Call after OnPoll.
  void Start();
  // The listener is not called after Stop() returns. Blocks for a second, or
  // for the time of a listener's call. Start() must not follow.
  void Stop();

  // Finished polls, "full" and "partial", with "ok" or "failed".
  const OperationMeter& polls() const { return polls_; }

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
  // Starts a poll when it is due, or waits for a running one, and publishes a
  // snapshot. Returns the time until the next call.
  absl::Duration PollOnce();
  absl::Duration TimeUntilDue();
  std::vector<SlurmJobId> Begin(absl::Time now, PollScope* scope);
  // When a poll for `requested_` may start; infinite: nothing is requested.
  absl::Time RequestedAt() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  // Blocks until `is_fresh` returns true for the snapshot. False: it does not.
  template <typename Predicate>
  bool AwaitFresh(PollScope wanted, const Predicate& is_fresh,
                  absl::Duration timeout);
  void Publish(SlurmSnapshotPtr snapshot);

  const SlurmConfig config_;
  AsyncSlurmQuery query_;
  std::function<void(const SlurmSnapshotPtr&)> listener_;
  mutable absl::Mutex mutex_;
  SlurmSnapshotPtr snapshot_ ABSL_GUARDED_BY(mutex_);
  PollScheduler poll_scheduler_ ABSL_GUARDED_BY(mutex_);
  PollScope requested_
      ABSL_GUARDED_BY(mutex_);  // by callers, for the next poll
  absl::Time requested_begun_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int waiters_ ABSL_GUARDED_BY(mutex_) = 0;  // callers that wait for a refresh
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  // When the running query began; used by the thread only, as the next one.
  std::optional<absl::Time> asked_at_;
  bool asked_partially_ = false;  // used by the thread only
  OperationMeter polls_{{"full", "partial"}, {"ok", "failed"}};
  std::string logged_problem_;
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_SLURM_SCHEDULER_H_
