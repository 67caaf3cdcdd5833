// Notifies users that the walltime of a job is almost over.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_END_WARNINGS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_END_WARNINGS_H_

#include <map>

#include "absl/time/time.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Pure. The warning comes a tenth of the walltime before the end, at most ten
// minutes. Jobs shorter than ten minutes and linked jobs have none.
bool EndsSoon(const Job& job, absl::Time now);

// Used by the polling thread only. One warning for each end of a job: an
// extended job is warned about again.
class EndWarnings {
 public:
  // All must outlive this.
  EndWarnings(ActiveJobs* active, Database* database, const Clock* clock,
              bool with_extensions)
      : active_(active),
        database_(database),
        clock_(clock),
        with_extensions_(with_extensions) {}

  // Call after each poll.
  void OnPoll();

 private:
  bool Notify(const Job& job, absl::Time now);

  ActiveJobs* const active_;
  Database* const database_;
  const Clock* const clock_;
  const bool with_extensions_;
  std::map<JobId, absl::Time> notified_;  // the end that was notified
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_END_WARNINGS_H_
