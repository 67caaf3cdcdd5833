#include "backend/jobs/lifecycle/holds.h"

#include "backend/jobs/diagnosis/pending_reason.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/slurm/impersonator/operation_error.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {

absl::StatusOr<Job> Holds::Hold(const Job& job, const std::string& request_id) {
  return Change(job, true, request_id);
}

absl::StatusOr<Job> Holds::Release(const Job& job,
                                   const std::string& request_id) {
  return Change(job, false, request_id);
}

absl::StatusOr<Job> Holds::Change(const Job& job, bool hold,
                                  const std::string& request_id) {
  if (job.state != v1::JOB_STATE_PENDING || !InSlurm(job)) {
    return MakeError(job_lifecycle_messages::kNotWaiting);
  }
  const absl::Status changed = submitter_->UpdateAsUser(
      {job.owner, job.owner_uid}, job.slurm_id, job.id,
      {.hold = hold ? JobChange::Hold::kHold : JobChange::Hold::kRelease},
      request_id);
  LogInfo(hold ? "job held" : "job released",
          {{"request", request_id},
           {"user", job.owner},
           {"job", job.id.value()},
           {"slurm_job", job.slurm_id.value()},
           {"result", StatusText(changed)}});
  if (!changed.ok()) return ClientOperationError(changed);
  const absl::Time now = clock_->Now();
  const auto shown = active_->Change(job.id, [&](ActiveJob& active) {
    if (active.job.state != v1::JOB_STATE_PENDING)
      return;  // it started meanwhile
    active.changed_at = now;
    active.job.held = hold;
    active.job.reason = PendingReason(hold ? "JobHeldUser" : "");
    active.job.expected_start.reset();
  });
  scheduler_->RefreshJob(job.slurm_id);
  return shown ? shown->job : active_->Find(job.id).value_or(job);
}

}  // namespace carme::backend
