// Which of Slurm's jobs is a record's: pure functions.
//
// Once the Slurm id of a record is known, the id, the uid and the time of
// submission are the identity of the job. Its comment, which its user and the
// site's own scripts may change, is used for adoption only: to find the job of
// a record that has no Slurm id.
#ifndef CARME_BACKEND_JOBS_MODEL_SLURM_IDENTITY_H_
#define CARME_BACKEND_JOBS_MODEL_SLURM_IDENTITY_H_

#include <optional>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// How far the clocks of slurmctld's host and this one may differ.
inline constexpr absl::Duration kMaxClockDifference = absl::Minutes(10);

// The id of the whole array for a task of an array, the job's id otherwise.
SlurmJobId SubmittedJobId(const SlurmJob& slurm);

struct SlurmIdentity {
  SlurmJobId id;  // 0: not known
  Uid uid;
  bool is_array = false;
  std::optional<absl::Time> submitted_at{};
  absl::Time recorded_at{};  // when the record was made
};
SlurmIdentity IdentityOf(const Job& record);

// Whether it is that job, or a task of that array. False where the id is not
// known. While the time of submission is not recorded, a job that was submitted
// when the record was made is.
bool IsJobOf(const SlurmIdentity& identity, const SlurmJob& slurm);
inline bool IsRecordsJob(const Job& record, const SlurmJob& slurm) {
  return IsJobOf(IdentityOf(record), slurm);
}

// Whether a record without a Slurm id may adopt the job: its comment names the
// record, the uid and the kind are the record's, and it was not submitted
// before the record was made.
bool MayAdopt(const Job& record, const SlurmJob& slurm);

// Keeps the time of submission, the first one of a job that is requeued, which
// is then part of the identity.
void RecordSubmitTime(const SlurmJob& slurm, Job* record);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_SLURM_IDENTITY_H_
