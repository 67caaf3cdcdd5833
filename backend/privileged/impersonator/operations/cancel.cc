// Cancels a job as the user that this process runs as.
#include <signal.h>

#include <string>

#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/own_job.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"

namespace carme::impersonator {

using privileged::v1::Cancel;
using privileged::v1::OUTCOME_OK;
using privileged::v1::Request;
using privileged::v1::Response;

Response CancelJob(const Request& request, const Account& account,
                   const ImpersonatorConfig& /*config*/, ChildPipe* pipe) {
  const Cancel& cancel = request.cancel();
  const OwnJob job =
      FindOwnJob(cancel.slurm_job_id(), cancel.carme_job_id(), account);
  if (job.is_over || job.response.outcome() != OUTCOME_OK) return job.response;
  if (!pipe->Begin()) return NotCommitted();
  // As scancel(1): a pending job ends at once, the processes of a running one
  // get SIGTERM, and SIGKILL after slurm.conf's KillWait.
  const std::string id = std::to_string(cancel.slurm_job_id());
  if (slurm_kill_job2(id.c_str(), SIGKILL, 0, nullptr) != SLURM_SUCCESS) {
    const int error = SlurmErrno();
    if (!MeansJobIsOver(error)) return SlurmErrorResponse(error);
    return MakeResponse(OUTCOME_OK, "job has ended");
  }
  return MakeResponse(OUTCOME_OK, "");
}

}  // namespace carme::impersonator
