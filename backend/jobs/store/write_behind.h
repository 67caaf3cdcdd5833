// Writes changed jobs to the store from a thread of its own: in order, the
// newest state of each, many in one transaction. Who needs a change to be on
// the disk before answering waits for its ticket; who does not goes on.
#ifndef CARME_BACKEND_JOBS_STORE_WRITE_BEHIND_H_
#define CARME_BACKEND_JOBS_STORE_WRITE_BEHIND_H_

#include <cstdint>
#include <map>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/store/job_store.h"

namespace carme::backend {

// Thread-safe. What a store refused is written again every second until it
// takes it; the queue holds each live job once at most.
class WriteBehind {
 public:
  using Ticket = uint64_t;  // grows; 0 was always written

  // `store` must outlive the writer.
  explicit WriteBehind(JobStore* store);
  // Writes what is left, once.
  ~WriteBehind();

  // Does not block. Changes of one job must be put in their order.
  Ticket Put(const Job& job);
  bool Written(Ticket ticket);
  // Blocks until it is on the disk. Otherwise the store's error, or UNAVAILABLE
  // after ten seconds; the write is still tried again then.
  absl::Status Wait(Ticket ticket);

 private:
  void Run();
  void WriteOnce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  JobStore* const store_;
  absl::Mutex mutex_;
  std::map<JobId, Job> queue_ ABSL_GUARDED_BY(mutex_);
  Ticket newest_ ABSL_GUARDED_BY(mutex_) = 0;
  Ticket written_ ABSL_GUARDED_BY(mutex_) = 0;
  Ticket tried_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status last_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_WRITE_BEHIND_H_
