// Cancels Slurm jobs that nobody waits for: orphans, and jobs that were
// stopped before their Slurm id was known. A thread of its own, because an act
// may block for seconds and who asks is the watcher of Slurm.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_CANCEL_QUEUE_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_CANCEL_QUEUE_H_

#include <map>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/audit/audit_log.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/submitter.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe. Nothing is remembered over a restart: who saw the job will see
// it again.
class CancelQueue {
 public:
  // All must outlive this.
  CancelQueue(Submitter* submitter, AuditLog* audit, const Clock* clock);
  // Waits for the act that is under way.
  ~CancelQueue();

  // Does not block. Asking again within ten seconds does nothing.
  void Ask(const Job& job, SlurmJobId slurm_job, const char* why);

 private:
  struct Wish {
    PosixUser user;
    JobId job;
    const char* why;
  };
  void Run();
  void Cancel(SlurmJobId slurm_job, const Wish& wish);

  Submitter* const submitter_;
  AuditLog* const audit_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  std::map<SlurmJobId, Wish> wishes_ ABSL_GUARDED_BY(mutex_);
  std::map<SlurmJobId, absl::Time> asked_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_CANCEL_QUEUE_H_
