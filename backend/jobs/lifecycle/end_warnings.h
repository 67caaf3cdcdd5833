// Tells people that the walltime of a job of theirs is nearly over.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_END_WARNINGS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_END_WARNINGS_H_

#include <map>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Pure: a tenth of its walltime before its end, ten minutes at most. Of none
// shorter than ten minutes, and of no companion.
bool EndsSoon(const Job& job, absl::Time now);

// Used by one thread, the watcher's. Once for each end that a job has: again,
// later, for one that was extended.
class EndWarnings {
 public:
  // All must outlive this.
  EndWarnings(ActiveJobs* active, Database* database, const Clock* clock,
              bool with_extensions)
      : active_(active),
        database_(database),
        clock_(clock),
        with_extensions_(with_extensions) {}

  // After each poll.
  void Look();

 private:
  bool Tell(const Job& job, absl::Time now);

  ActiveJobs* const active_;
  Database* const database_;
  const Clock* const clock_;
  const bool with_extensions_;
  std::map<JobId, absl::Time> told_;  // of which end
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_END_WARNINGS_H_
