// Decides when Slurm is polled next, and whether in full or for some jobs only.
#ifndef CARME_BACKEND_SLURM_POLL_POLL_SCHEDULER_H_
#define CARME_BACKEND_SLURM_POLL_POLL_SCHEDULER_H_

#include <map>
#include <set>
#include <vector>

#include "absl/time/time.h"
#include "backend/slurm/poll/poll_interval.h"
#include "backend/slurm/snapshot.h"
#include "common/ids.h"

namespace carme::backend {

// A full poll takes longer the more jobs Slurm has; its interval depends on its
// average cost, because some polls also ask for nodes and cost more. A request
// to refresh one job queries that job alone, or everything if a full poll is
// cheap, many requests are pending, or Slurm does not respond. Not thread-safe;
// the caller passes the time.
class PollScheduler {
 public:
  static constexpr size_t kMaxJobs = 32;  // of a partial poll
  static constexpr size_t kMaxPending = 1000;

  explicit PollScheduler(absl::Duration interval);

  // Anything may have changed.
  void RefreshSoon() { soon_ = true; }
  // This job may have changed.
  void RefreshJob(SlurmJobId job, absl::Time now);
  // This job is about to end: polls it now and every second (every two seconds
  // if the interval is that long) until it has ended, for at most ten seconds.
  void TrackUntilEnd(SlurmJobId job, absl::Time now);

  absl::Time NextAt(absl::Time now) const;
  // The jobs to query; empty: everything. REQUIRES: NextAt(now) <= now.
  std::vector<SlurmJobId> Begin(absl::Time now);
  // Of the jobs that Begin() returned last, those whose state suffices, because
  // their record was polled just before.
  const std::set<SlurmJobId>& repeated() const { return repeated_; }
  // The poll has finished: its CPU time, and its result.
  void End(absl::Duration cost, const SlurmSnapshot& snapshot);

 private:
  struct PendingRefresh {
    absl::Time due;
    absl::Time until;
    bool is_repeat = false;
  };
  absl::Time FullAt() const;
  absl::Time PartialAt() const;
  absl::Time EarliestPending() const;
  bool UsesPartialPolls() const;
  void Enqueue(SlurmJobId job, absl::Time now, absl::Duration timeout);
  void OnPolled(absl::Time now,
                std::map<SlurmJobId, PendingRefresh>::iterator* pending);

  const absl::Duration interval_;
  PollInterval interval_for_full_;
  absl::Duration full_cost_;  // a moving average
  absl::Duration partial_interval_;
  absl::Time full_at_ = absl::InfinitePast();  // start of the last full poll
  absl::Time partial_at_ = absl::InfinitePast();
  bool soon_ = false;
  bool reachable_ = false;
  bool is_partial_ = false;  // the poll that was begun last
  std::set<SlurmJobId> repeated_;
  std::map<SlurmJobId, PendingRefresh> pending_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_POLL_POLL_SCHEDULER_H_
