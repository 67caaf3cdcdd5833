#include "backend/jobs/state/found_job.h"

#include <algorithm>

#include "backend/jobs/model/slurm_identity.h"
#include "backend/jobs/state/job_state_machine.h"

namespace carme::backend {
namespace {

constexpr char kDescription[] =
    "The portal was restored from a backup that is older than this job. The "
    "job continues, but its app cannot be opened from the portal.";

}  // namespace

bool IsFromGap(const SlurmJob& slurm, const std::vector<RestoreGap>& gaps) {
  return std::any_of(gaps.begin(), gaps.end(), [&](const RestoreGap& gap) {
    return slurm.submitted >= gap.backup_at - kMaxClockDifference &&
           slurm.submitted <= gap.restored_at;
  });
}

Job RecordFromSlurm(const SlurmJob& slurm, const std::string& owner) {
  Job job;
  job.id = slurm.carme_id;
  job.owner = owner;
  job.owner_uid = slurm.uid;
  job.spec.batch.emplace();
  job.spec.description = kDescription;
  job.state = v1::JOB_STATE_PENDING;
  job.slurm_id = slurm.id;
  job.created_at = slurm.submitted;
  RecordSubmitTime(slurm, &job);
  ApplySlurmSpec(slurm, &job);
  // Its agent has reported to the lost record that it runs.
  if (slurm.started_at != absl::InfinitePast()) job.ready_at = slurm.started_at;
  return job;
}

absl::Status CheckMayBegin(const Job& job) {
  const bool is_found = IsBatch(job) && job.spec.batch->command.empty() &&
                        job.spec.batch->script.empty();
  if (!is_found) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the portal was restored from a backup that is older than this job, and "
      "no longer has its settings: submit it again");
}

}  // namespace carme::backend
