// Changes a job as the user this process is: the time limit, the name, whether
// it is held. Nothing else of it can be named in a request.
#include <string>

#include "backend/privileged/acts.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/own_job.h"
#include "backend/slurm/libslurm.h"

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
  if (job.answer.outcome() != OUTCOME_OK) return job.answer;
  if (job.is_over) return Outcome(OUTCOME_SLURM_REFUSED, "slurm: job is over");

  std::string id = std::to_string(update.slurm_job_id());
  std::string name = update.name();
  job_desc_msg_t description;
  slurm_init_job_desc_msg(&description);
  description.job_id_str = id.data();
  if (!name.empty()) description.name = name.data();
  if (update.walltime_min() > 0) {
    description.time_limit = static_cast<uint32_t>(update.walltime_min());
  }
  // As scontrol(1) does for `uhold`, which the user may undo, and `release`.
  if (update.hold() == privileged::v1::HOLD_HOLD) {
    description.priority = 0;
    description.alloc_sid = ALLOC_SID_USER_HOLD;
  } else if (update.hold() == privileged::v1::HOLD_RELEASE) {
    description.priority = INFINITE;
    description.alloc_sid = 0;
  }
  if (!pipe->Begin()) return NoGo();
  job_array_resp_msg_t* answer = nullptr;
  if (slurm_update_job2(&description, &answer) != SLURM_SUCCESS) {
    return SlurmOutcome(slurm_get_errno());
  }
  return Outcome(OUTCOME_OK, "");
}

}  // namespace carme::impersonator
