// Writes changed jobs to the store on a thread of its own: in order, only the
// newest state of each, many in one transaction. A caller that needs a durable
// change waits for its ticket.
#ifndef CARME_BACKEND_JOBS_STORE_WRITE_BEHIND_H_
#define CARME_BACKEND_JOBS_STORE_WRITE_BEHIND_H_

#include <cstdint>
#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/store/job_store.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// Thread-safe. A failed write is repeated every second until it succeeds; the
// queue holds each job at most once.
class WriteBehind {
 public:
  using Ticket = uint64_t;  // increases; 0: always written

  // `store` must outlive the writer.
  explicit WriteBehind(JobStore* store) : store_(store) {}
  // Writes the remaining changes, once.
  ~WriteBehind();

  // Does not block. Changes of one job must be put in their order.
  Ticket Put(const Job& job);
  bool Written(Ticket ticket);
  // Blocks until the change is durable. Fails with the store's error, or
  // UNAVAILABLE after ten seconds; the write is still repeated then.
  absl::Status Wait(Ticket ticket);

 private:
  absl::Duration WriteNext();
  void WriteOnce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  JobStore* const store_;
  absl::Mutex mutex_;
  std::map<JobId, Job> queue_ ABSL_GUARDED_BY(mutex_);
  Ticket newest_ ABSL_GUARDED_BY(mutex_) = 0;
  Ticket written_ ABSL_GUARDED_BY(mutex_) = 0;
  Ticket tried_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status last_ ABSL_GUARDED_BY(mutex_);
  BackgroundThread thread_{"write-behind", [this] { return WriteNext(); }};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_WRITE_BEHIND_H_
