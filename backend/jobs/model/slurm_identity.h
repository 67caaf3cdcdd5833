// Which Slurm job belongs to a record. Pure functions.
// Once the Slurm id of a record is known, the id, the uid and the submission
// time identify the job. The comment, which users and site scripts may change,
// is only used for adoption: to find the job of a record without a Slurm id.
#ifndef CARME_BACKEND_JOBS_MODEL_SLURM_IDENTITY_H_
#define CARME_BACKEND_JOBS_MODEL_SLURM_IDENTITY_H_

#include <optional>

#include "absl/time/time.h"
#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The maximum clock difference between slurmctld's host and this one.
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

// Whether it is that job, or a task of that array. False if the id is not
// known. While no submission time is recorded, the job must have been submitted
// when the record was made.
bool IsJobOf(const SlurmIdentity& identity, const SlurmJob& slurm);
inline bool IsRecordsJob(const Job& record, const SlurmJob& slurm) {
  return IsJobOf(IdentityOf(record), slurm);
}

// Whether a record without a Slurm id may adopt the job: its comment names the
// record, the uid and the kind match, and it was not submitted before the
// record was made.
bool MayAdopt(const Job& record, const SlurmJob& slurm);

// Records the submission time, of a requeued job the first one, as part of the
// identity.
void RecordSubmitTime(const SlurmJob& slurm, Job* record);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_SLURM_IDENTITY_H_
