// Reads what a job that failed wrote last, once, as its user. Where there is
// nothing to read it asks why: a log that the user cannot open, storage that is
// full. A thread of its
// own, because reading may block for seconds and who asks is the watcher of
// Slurm.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_FAILURE_LOG_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_FAILURE_LOG_H_

#include <deque>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/feeds/job_feed.h"
#include "backend/jobs/store/job_store.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/slurm/submitter.h"
#include "backend/storage/storage_reader.h"

namespace carme::backend {

// Whether a job that has ended is one whose last words matter.
bool WantsFailureLog(const Job& job);

// Thread-safe. What was asked for and not read yet is forgotten at the end of
// this process: the log itself is still there.
class FailureLog {
 public:
  // All must outlive this. `storage` may be null: then it is not asked.
  FailureLog(ActiveJobs* active, JobStore* store, JobFeed* feed,
            Submitter* submitter, StorageReader* storage);
  // Waits for the log that is being read.
  ~FailureLog();

  // Does not block. Of more than 256 jobs that wait the rest is left out.
  void Ask(const Job& job);

 private:
  void Run();
  struct Words {
    std::string lines{};
    // Why there are none, with what to do; empty: not known.
    std::string problem{};
  };
  Words Read(const Job& job);
  std::string StorageProblem(const Job& job);
  void Keep(const Job& job, const Words& words);

  ActiveJobs* const active_;
  JobStore* const store_;
  JobFeed* const feed_;
  Submitter* const submitter_;
  StorageReader* const storage_;
  absl::Mutex mutex_;
  std::deque<Job> wanted_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_FAILURE_LOG_H_
