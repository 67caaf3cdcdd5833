// Reading Slurm: one watcher, however many people look.
#ifndef CARME_BACKEND_SLURM_SCHEDULER_H_
#define CARME_BACKEND_SLURM_SCHEDULER_H_

#include <functional>

#include "backend/slurm/snapshot.h"

namespace carme {

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
  virtual void Hurry() = 0;
  // The same, because of this one job, of an array by the array's id. Does not
  // block. One that cannot ask for a job alone asks for all.
  virtual void LookAt(SlurmJobId /*job*/) { Hurry(); }
  // The same for a job that is about to end: goes on until Slurm has ended it.
  virtual void FollowToEnd(SlurmJobId job) { LookAt(job); }
};

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_SCHEDULER_H_
