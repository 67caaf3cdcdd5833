// Jobs that were submitted after the backup from which the database was
// restored: Slurm has them, and their record is lost. Pure functions.
#ifndef CARME_BACKEND_JOBS_STATE_FOUND_JOB_H_
#define CARME_BACKEND_JOBS_STATE_FOUND_JOB_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The time of which the restored database has no jobs.
struct RestoreGap {
  absl::Time backup_at;
  absl::Time restored_at;
};

// Whether the job was submitted in one of the gaps. The clocks of slurmctld and
// this host may differ at the begin, but not at the end: a user could otherwise
// submit a job for adoption.
bool IsFromGap(const SlurmJob& slurm, const std::vector<RestoreGap>& gaps);

// A record with what Slurm reports of the job. It has no app and no command:
// only the lost record had them. A running job continues, and a pending one
// cannot begin (CheckMayBegin). Not for arrays.
Job RecordFromSlurm(const SlurmJob& slurm, const std::string& owner);

// FAILED_PRECONDITION, for the user: the job has such a record.
absl::Status CheckMayBegin(const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_FOUND_JOB_H_
