// Cancels Slurm jobs on a thread of its own, because an operation may block for
// seconds: orphans, and jobs that were stopped before their Slurm id was known.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_CANCEL_QUEUE_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_CANCEL_QUEUE_H_

#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/submitter.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// Thread-safe. The queue is not stored: after a restart the caller finds the
// job again.
class CancelQueue {
 public:
  // All must outlive this. The destructor waits for the running operation.
  CancelQueue(Submitter* submitter, AuditLog* audit, const Clock* clock);

  // Does not block. Repeated calls within ten seconds are ignored.
  void Enqueue(const Job& job, SlurmJobId slurm_job, const char* why);

 private:
  struct CancelRequest {
    PosixUser user;
    JobId job;
    const char* why;
  };
  absl::Duration CancelNext();
  void Cancel(SlurmJobId slurm_job, const CancelRequest& request);

  Submitter* const submitter_;
  AuditLog* const audit_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  std::map<SlurmJobId, CancelRequest> requests_ ABSL_GUARDED_BY(mutex_);
  std::map<SlurmJobId, absl::Time> requested_at_ ABSL_GUARDED_BY(mutex_);
  BackgroundThread thread_{"cancel-queue", [this] { return CancelNext(); }};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_CANCEL_QUEUE_H_
