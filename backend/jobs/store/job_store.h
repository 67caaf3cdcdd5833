// The table `jobs`: every job of Carme, live or ended not long ago.
#ifndef CARME_BACKEND_JOBS_STORE_JOB_STORE_H_
#define CARME_BACKEND_JOBS_STORE_JOB_STORE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/environments/job_environment.h"
#include "backend/jobs/model/job.h"
#include "backend/store/database.h"

namespace carme::backend {

// Thread-safe. Errors are the database's. Invariants: a row exists before its
// job is submitted; of one owner and one idempotency key there is at most one
// row; what a job uses (quotas/usage_table.h) is written with its row.
class JobStore {
 public:
  // Says what to record of a job whose owner has `live_jobs` that have not
  // ended; an error records nothing.
  using Admit = std::function<absl::StatusOr<Job>(int live_jobs)>;

  // `database` must outlive the store.
  explicit JobStore(Database* database) : database_(database) {}

  struct Inserted {
    Job job;
    bool fresh = false;  // false: the row that has had this key before
  };
  // Counts, asks `admit` and records in one transaction, so that parallel
  // submissions cannot get past a limit together. An empty key protects from
  // nothing. Durable when it returns. `admit` may read with
  // Prepare, and must begin nothing in the database.
  // `environment` is kept with the job where it is one. ALREADY_EXISTS: the key
  // was used with another `request_digest`.
  absl::StatusOr<Inserted> Insert(const std::string& owner,
                                  const std::string& key, const Admit& admit,
                                  const JobEnvironment& environment = {},
                                  const std::string& request_digest = "");

  // Writes the state of jobs that were inserted, all or none, and tells their
  // owners what is new; those that have ended are in the history from then on,
  // and their specs are written as they were in the end. A job that ended without
  // ever being submitted gives its idempotency key back.
  absl::Status Update(const std::vector<Job>& jobs);

  absl::StatusOr<Job> Find(const JobId& id);  // NOT_FOUND
  // What it was inserted with. NOT_FOUND.
  absl::StatusOr<JobEnvironment> FindEnvironment(const JobId& id);
  absl::StatusOr<std::vector<Job>> Live();  // of all owners, oldest first
  // The newest `most` that ended, newest first.
  absl::StatusOr<std::vector<Job>> Ended(const std::string& owner, int most);

  // Once, for a database that is older than the usage's tables: counts what
  // the jobs in it have used.
  absl::Status CountUsage();

  // Writes into the history what ended before there was one.
  absl::Status CompleteHistory();

  // Forgets jobs that ended before `before`, and of each owner all but the
  // last `most` that ended. Returns how many.
  absl::StatusOr<int64_t> Forget(absl::Time before, int most);

 private:
  Database* database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_JOB_STORE_H_
