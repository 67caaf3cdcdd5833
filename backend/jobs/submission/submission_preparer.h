// Prepares submissions on a thread of its own: a caller that holds the
// database's write lock starts the preparation and does no socket I/O itself,
// and the impersonator prepares the job while the record is made durable.
#ifndef CARME_BACKEND_JOBS_SUBMISSION_SUBMISSION_PREPARER_H_
#define CARME_BACKEND_JOBS_SUBMISSION_SUBMISSION_PREPARER_H_

#include <future>
#include <memory>
#include <string>

#include "backend/slurm/submitter.h"
#include "common/concurrency/thread_pool.h"

namespace carme::backend {

// Thread-safe.
class SubmissionPreparer {
 public:
  // get() blocks until Submitter::Prepare has returned, and returns its result,
  // never null. Dropping the future or its result aborts the submission.
  using Preparation = std::future<std::unique_ptr<PreparedSubmission>>;

  // `submitter` must outlive this.
  explicit SubmissionPreparer(Submitter* submitter)
      : submitter_(submitter), pool_(kThreads, kMaxWaiting) {}

  // Does not block. If too many preparations wait for the thread, this one runs
  // in get() instead. REQUIRES: this outlives the call of get().
  Preparation Start(const PosixUser& user, const Submission& submission,
                    const std::string& request_id);

 private:
  // Submitter::Prepare does not block, so one thread is enough.
  static constexpr int kThreads = 1;
  static constexpr size_t kMaxWaiting = 1024;

  Submitter* const submitter_;
  ThreadPool pool_;  // last: its task uses the submitter
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_SUBMISSION_SUBMISSION_PREPARER_H_
