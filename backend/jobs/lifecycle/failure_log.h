// Reads the end of a failed job's log, once, as its user, on a thread of its
// own because reading may block for seconds. If there is no log it looks for
// the cause: a log that the user cannot open, or full storage.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_FAILURE_LOG_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_FAILURE_LOG_H_

#include <deque>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/store/job_store.h"
#include "backend/slurm/submitter.h"
#include "backend/storage/storage_reader.h"
#include "common/concurrency/background_thread.h"
#include "common/display_text.h"

namespace carme::backend {

// Whether the log of this ended job should be read.
bool WantsFailureLog(const Job& job);

// Thread-safe. Requests that are not finished are lost at a restart; the log
// itself is not.
class FailureLog {
 public:
  // All must outlive this. `storage` may be null: then it is not checked. The
  // destructor waits for the running operation.
  FailureLog(ActiveJobs* active, JobStore* store, JobFeed* feed,
             Submitter* submitter, StorageReader* storage);

  // Does not block. At most 256 jobs wait; further ones are dropped.
  void Enqueue(const Job& job);

 private:
  absl::Duration ReadNext();
  struct Tail {
    std::string lines{};
    // Why there are no lines, and what to do; empty: not known.
    DisplayText problem{};
  };
  Tail Read(const Job& job);
  DisplayText StorageProblem(const Job& job);
  void Store(const Job& job, const Tail& tail);

  ActiveJobs* const active_;
  JobStore* const store_;
  JobFeed* const feed_;
  Submitter* const submitter_;
  StorageReader* const storage_;
  absl::Mutex mutex_;
  std::deque<Job> wanted_ ABSL_GUARDED_BY(mutex_);
  BackgroundThread thread_{"failure-log", [this] { return ReadNext(); }};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_FAILURE_LOG_H_
