// A job's row in the table `history`, which outlives the one in `jobs`.
#ifndef CARME_BACKEND_JOBS_HISTORY_ROW_H_
#define CARME_BACKEND_JOBS_HISTORY_ROW_H_

#include "absl/status/status.h"
#include "backend/jobs/job.h"
#include "backend/store/database.h"

namespace carme::backend {

// Writes, or writes again, what Carme saw of a job that has ended; what Slurm's
// accounting has said of it stays. REQUIRES: in the body of a transaction or
// query; the job has ended.
absl::Status WriteHistory(Database& db, const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_HISTORY_ROW_H_
