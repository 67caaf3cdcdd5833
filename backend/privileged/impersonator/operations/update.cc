// Changes a job as the user that this process runs as: its time limit, its
// name, and whether it is held. A request cannot name anything else.
#include <string>

#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/own_job.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"

namespace carme::impersonator {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;
using privileged::v1::Update;

Response UpdateJob(const Request& request, const Account& account,
                   const ImpersonatorConfig& /*config*/, ChildPipe* pipe) {
  const Update& update = request.update();
  const OwnJob job =
      FindOwnJob(update.slurm_job_id(), update.carme_job_id(), account);
  if (job.response.outcome() != OUTCOME_OK) return job.response;
  if (job.is_over)
    return MakeResponse(OUTCOME_SLURM_REFUSED, "slurm: job has ended");

  std::string id = std::to_string(update.slurm_job_id());
  std::string name = update.name();
  job_desc_msg_t description;
  slurm_init_job_desc_msg(&description);
  description.job_id_str = id.data();
  if (!name.empty()) description.name = name.data();
  if (update.walltime_min() > 0) {
    description.time_limit = static_cast<uint32_t>(update.walltime_min());
  }
  // As scontrol(1) does for `uhold`, which users can release, and `release`.
  if (update.hold() == privileged::v1::HOLD_HOLD) {
    description.priority = 0;
    description.alloc_sid = ALLOC_SID_USER_HOLD;
  } else if (update.hold() == privileged::v1::HOLD_RELEASE) {
    description.priority = INFINITE;
    description.alloc_sid = 0;
  }
  if (!pipe->Begin()) return NotCommitted();
  job_array_resp_msg_t* errors = nullptr;
  if (slurm_update_job2(&description, &errors) != SLURM_SUCCESS) {
    return SlurmErrorResponse(SlurmErrno());
  }
  return MakeResponse(OUTCOME_OK, "");
}

}  // namespace carme::impersonator
