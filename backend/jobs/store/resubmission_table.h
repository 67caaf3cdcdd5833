// The table `job_resubmissions`: jobs with JobSpec::resubmit, from their
// submission until it is decided after their end whether they are submitted
// again.
#ifndef CARME_BACKEND_JOBS_STORE_RESUBMISSION_TABLE_H_
#define CARME_BACKEND_JOBS_STORE_RESUBMISSION_TABLE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

struct ResubmissionRow {
  JobId job{};
  JobSpec spec{};  // as submitted: Slurm may change the job's
  int number = 0;  // of earlier jobs in a row that it replaces
  friend bool operator==(const ResubmissionRow&,
                         const ResubmissionRow&) = default;
};

// REQUIRES for all: in the body of a transaction or query.
absl::Status InsertResubmission(Database& db, const ResubmissionRow& row);
// Those of jobs whose end is stored, the first to end first; at most `max`.
absl::StatusOr<std::vector<ResubmissionRow>> ReadEndedResubmissions(
    Database& db, int max);
absl::Status DeleteResubmission(Database& db, const JobId& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_RESUBMISSION_TABLE_H_
