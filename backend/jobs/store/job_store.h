// The table `jobs`: active jobs and recently ended ones.
#ifndef CARME_BACKEND_JOBS_STORE_JOB_STORE_H_
#define CARME_BACKEND_JOBS_STORE_JOB_STORE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/environments/rendered_environment.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/state/found_job.h"
#include "backend/store/database.h"

namespace carme::backend {

// Thread-safe. Errors are the database's. Invariants: a row exists before its
// job is submitted; there is at most one row per owner and idempotency key; the
// usage of a job (quotas/usage_table.h) is written with its row.
class JobStore {
 public:
  // Returns the job to record for an owner with `live_jobs` active jobs; an
  // error records nothing.
  using Admit = std::function<absl::StatusOr<Job>(int live_jobs)>;

  // `database` must outlive this.
  explicit JobStore(Database* database) : database_(database) {}

  struct Inserted {
    Job job;
    bool fresh = false;  // false: the existing row with this key
  };
  // Counts, calls `admit` and inserts in one transaction, so that concurrent
  // submissions cannot exceed a limit together. Durable when it returns. An
  // empty key is not checked. `admit` may read with Prepare and must not begin
  // a transaction. A non-empty `environment` is stored with the job.
  // ALREADY_EXISTS: the key was used with another `request_digest`. A job with
  // JobSpec::resubmit is also added to the table job_resubmissions with
  // `resubmissions`.
  absl::StatusOr<Inserted> Insert(const std::string& owner,
                                  const std::string& key, const Admit& admit,
                                  const RenderedEnvironment& environment = {},
                                  const std::string& request_digest = "",
                                  int resubmissions = 0);

  // Writes the state of existing jobs, all or none, and their notifications.
  // Ended jobs are written to the history with their final spec. A job that
  // ended without being submitted releases its idempotency key.
  absl::Status Update(const std::vector<Job>& jobs);

  // Changes a job whose end is stored, and what `edit` writes, in one
  // transaction. Returns the changed job. NOT_FOUND; errors of `edit`.
  using EditEnded = std::function<absl::Status(Database&, Job*)>;
  absl::StatusOr<Job> ChangeEnded(const JobId& id, const EditEnded& edit);

  absl::StatusOr<Job> Find(const JobId& id);  // NOT_FOUND
  // The environment that the job was inserted with. NOT_FOUND.
  absl::StatusOr<RenderedEnvironment> FindEnvironment(const JobId& id);
  absl::StatusOr<std::vector<Job>> Live();  // of all owners, oldest first
  // The last `max` ended jobs, newest first.
  absl::StatusOr<std::vector<Job>> Ended(const std::string& owner, int max);

  // Records a job that Slurm has and whose record is lost, with the user name
  // of its uid at the last log-in as the owner. NOT_FOUND: no user with that
  // uid has logged in. ALREADY_EXISTS: a job has this id.
  absl::StatusOr<Job> InsertFound(const SlurmJob& slurm);
  // Of all restores of the database.
  absl::StatusOr<std::vector<RestoreGap>> RestoreGaps();

  // Migration: counts the usage of the existing jobs once.
  absl::Status CountUsage();

  // Migration: writes the jobs that ended earlier to the history.
  absl::Status CompleteHistory();

  // Deletes jobs that ended before `before`, and of each owner all but the last
  // `max` ended ones. Returns their number.
  absl::StatusOr<int64_t> DeleteEnded(absl::Time before, int max);

 private:
  Database* database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_JOB_STORE_H_
