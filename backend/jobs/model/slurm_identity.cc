#include "backend/jobs/model/slurm_identity.h"

namespace carme::backend {
namespace {

bool IsReported(absl::Time submitted) {
  return submitted != absl::InfinitePast();
}

bool IsTask(const SlurmJob& slurm) { return slurm.array != SlurmJobId(); }

}  // namespace

SlurmJobId SubmittedJobId(const SlurmJob& slurm) {
  return slurm.array == SlurmJobId() ? slurm.id : slurm.array;
}

SlurmIdentity IdentityOf(const Job& record) {
  return {.id = record.slurm_id,
          .uid = record.owner_uid,
          .is_array = IsArray(record),
          .submitted_at = record.slurm_submitted_at,
          .recorded_at = record.created_at};
}

bool IsJobOf(const SlurmIdentity& identity, const SlurmJob& slurm) {
  if (identity.id == SlurmJobId() || identity.id != SubmittedJobId(slurm) ||
      identity.uid != slurm.uid || identity.is_array != IsTask(slurm)) {
    return false;
  }
  if (!IsReported(slurm.submitted)) return true;
  // A requeue sets a new submission time.
  const bool requeued = slurm.restarts > 0;
  if (identity.submitted_at) {
    return slurm.submitted == *identity.submitted_at ||
           (requeued && slurm.submitted > *identity.submitted_at);
  }
  return slurm.submitted >= identity.recorded_at - kMaxClockDifference &&
         (requeued ||
          slurm.submitted <= identity.recorded_at + kMaxClockDifference);
}

bool MayAdopt(const Job& record, const SlurmJob& slurm) {
  return !InSlurm(record) && slurm.carme_id == record.id &&
         slurm.uid == record.owner_uid && IsArray(record) == IsTask(slurm) &&
         (!IsReported(slurm.submitted) ||
          slurm.submitted >= record.created_at - kMaxClockDifference);
}

void RecordSubmitTime(const SlurmJob& slurm, Job* record) {
  if (!IsReported(slurm.submitted)) return;
  std::optional<absl::Time>& at = record->slurm_submitted_at;
  if (!at || slurm.submitted < *at) at = slurm.submitted;
}

}  // namespace carme::backend
