// Reading Slurm: one watcher, however many people look.
#ifndef CARME_BACKEND_SLURM_SCHEDULER_H_
#define CARME_BACKEND_SLURM_SCHEDULER_H_

#include <functional>
#include <set>

#include "backend/slurm/snapshot.h"

namespace carme::backend {

// How long a caller waits for a refresh before it goes by what is known.
inline constexpr absl::Duration kRefreshTimeout = absl::Seconds(3);

// Thread-safe.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Never null and never blocks; before the first answer it is an empty
  // snapshot that is not reachable.
  virtual SlurmSnapshotPtr Snapshot() const = 0;
  // Called after each poll, on the watcher's thread, one call at a time: also
  // when nothing changed, so that the listener can do its own timing. Set
  // before Start.
  virtual void OnPoll(
      std::function<void(const SlurmSnapshotPtr&)> listener) = 0;
  // Polls soon, because something is known to have changed. Does not block.
  virtual void RefreshSoon() = 0;
  // The same, because of this one job, of an array by the array's id. Does not
  // block. One that cannot ask for a job alone asks for all.
  virtual void RefreshJob(SlurmJobId /*job*/) { RefreshSoon(); }
  // The next look asks for nodes, partitions and reservations, too, because an
  // operation of Carme's has changed some. Does not block.
  virtual void RefreshResourcesSoon() { RefreshSoon(); }
  // Blocks until the snapshot has nodes, partitions and reservations that Slurm
  // was asked for after this call; call it before a refusal that rests on them.
  // One look answers all waiting callers, and two a second are made at most.
  // False: Slurm does not respond, not within `timeout`, or too many wait.
  virtual bool RefreshResources(absl::Duration /*timeout*/) { return true; }
  // The same for associations and QOS, which may be some seconds old.
  virtual bool RefreshAccounting(absl::Duration /*timeout*/) { return true; }
  // The same for a job that is about to end: goes on until Slurm has ended it.
  virtual void TrackUntilEnd(SlurmJobId job) { RefreshJob(job); }
  // From the next poll on the snapshot has this job, of an array all tasks,
  // even if its comment names no job of Carme's. Does not block.
  virtual void Track(SlurmJobId /*job*/) {}
  // Tracks these jobs and no others.
  virtual void TrackOnly(std::set<SlurmJobId> /*jobs*/) {}
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SCHEDULER_H_
