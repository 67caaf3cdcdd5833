// Submits jobs again that ended because vetting found nodes that are not
// healthy, as new jobs without these nodes: JobSpec::resubmit. With the checks
// of a submission by the owner.
//   record of the job ─► its end is stored ─► decision ─► the record is deleted
// A record without a decision is decided after a restart. The key of the new
// job is derived from the old job's id, so that it is submitted once.
#ifndef CARME_BACKEND_JOBS_RESUBMISSIONS_H_
#define CARME_BACKEND_JOBS_RESUBMISSIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/person_lookup.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/store/resubmission_table.h"
#include "backend/node_history/node_history.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Whether the job failed before its nodes were vetted successfully.
bool EndedByVetting(const Job& job);

// The spec of a job in place of one that ran: without `nodes`, the start time
// and the dependencies, which are fulfilled.
JobSpec SpecWithout(const std::vector<std::string>& nodes, JobSpec spec);

// Thread-safe.
class Resubmissions {
 public:
  // In a row.
  static constexpr int kMaxInARow = 2;
  // While Slurm or the directory is unavailable; the wait doubles each time.
  static constexpr absl::Duration kFirstRetry = absl::Seconds(30);
  static constexpr absl::Duration kRetryFor = absl::Minutes(10);

  struct Parts {
    Database* database;
    Jobs* jobs;
    PersonLookup* person_lookup;
    NodeHistory* node_history;  // null: nothing is submitted again
    const Clock* clock;
  };
  // All must outlive this.
  explicit Resubmissions(const Parts& parts) : parts_(parts) {}

  // Decides about the jobs that ended. Call every few seconds; blocks for
  // submissions.
  void Follow();

 private:
  struct Retry {
    absl::Time until{};
    absl::Duration wait{};
    absl::Time not_before{};
  };
  void Decide(const ResubmissionRow& row) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::vector<std::string>> UnhealthyNodesOf(const Job& job);
  absl::StatusOr<Job> Submit(const ResubmissionRow& row, const Job& ended,
                             const std::vector<std::string>& nodes);
  // False: it was tried for long enough.
  bool WillRetry(const JobId& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Record(const Job& ended, const absl::StatusOr<Job>& submitted,
                      const std::vector<std::string>& nodes);
  absl::Status DeleteRecord(const JobId& job);

  const Parts parts_;
  absl::Mutex mutex_;
  std::map<JobId, Retry> retries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_RESUBMISSIONS_H_
