// Holds pending jobs and releases them.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_HOLDS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_HOLDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe; both block for one operation of the submitter. Nothing is
// stored: Slurm knows whether a job is held.
class Holds {
 public:
  // All must outlive this.
  Holds(ActiveJobs* active, Scheduler* scheduler, Submitter* submitter,
        const Clock* clock)
      : active_(active),
        scheduler_(scheduler),
        submitter_(submitter),
        clock_(clock) {}

  // FAILED_PRECONDITION: the job is not pending, or Slurm refused; UNAVAILABLE.
  absl::StatusOr<Job> Hold(const Job& job, const std::string& request_id);
  // The same errors. Slurm lets a user release only their own hold.
  absl::StatusOr<Job> Release(const Job& job, const std::string& request_id);

 private:
  absl::StatusOr<Job> Change(const Job& job, bool hold,
                             const std::string& request_id);

  ActiveJobs* const active_;
  Scheduler* const scheduler_;
  Submitter* const submitter_;
  const Clock* const clock_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_HOLDS_H_
