// Reads the state of Slurm, by one poller for all users.
#ifndef CARME_BACKEND_SLURM_SCHEDULER_H_
#define CARME_BACKEND_SLURM_SCHEDULER_H_

#include <functional>
#include <set>

#include "backend/slurm/snapshot.h"

namespace carme::backend {

// How long a caller waits for a refresh before it uses the last snapshot.
inline constexpr absl::Duration kRefreshTimeout = absl::Seconds(3);

// Thread-safe.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Never null, never blocks. Before the first poll has finished it is an empty
  // snapshot that is not reachable.
  virtual SlurmSnapshotPtr Snapshot() const = 0;
  // `listener` is called after each poll, on the poller's thread, also if
  // nothing changed, so that it can do periodic work. Call before Start().
  virtual void OnPoll(
      std::function<void(const SlurmSnapshotPtr&)> listener) = 0;
  // Polls soon, because something has changed. Does not block.
  virtual void RefreshSoon() = 0;
  // The same for one job, or an array by the array's id. Does not block. An
  // implementation that cannot query single jobs polls everything.
  virtual void RefreshJob(SlurmJobId /*job*/) { RefreshSoon(); }
  // The next poll includes nodes, partitions and reservations, because Carme
  // has changed some. Does not block.
  virtual void RefreshResourcesSoon() { RefreshSoon(); }
  // Blocks until the snapshot has nodes, partitions and reservations that were
  // queried after this call. Call it before a refusal that depends on them. One
  // poll serves all waiting callers; at most two such polls a second are made.
  // False: Slurm does not respond within `timeout`, or too many callers wait.
  virtual bool RefreshResources(absl::Duration /*timeout*/) { return true; }
  // The same for associations and QOS, which may be a few seconds old.
  virtual bool RefreshAccounting(absl::Duration /*timeout*/) { return true; }
  // As RefreshJob(), repeated until Slurm has ended the job.
  virtual void TrackUntilEnd(SlurmJobId job) { RefreshJob(job); }
  // From the next poll on, snapshots include this job (all tasks of an array),
  // even if its comment names no job of Carme. Does not block.
  virtual void Track(SlurmJobId /*job*/) {}
  // Tracks these jobs and no others.
  virtual void TrackOnly(std::set<SlurmJobId> /*jobs*/) {}
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SCHEDULER_H_
