#include "backend/jobs/state/found_job.h"

#include <algorithm>

#include "backend/jobs/model/slurm_identity.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/jobs/state/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {

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
  job.spec.description = FormatMessage(job_state_messages::kFoundDescription);
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
  return MakeError(job_state_messages::kSettingsLost);
}

}  // namespace carme::backend
