// Cancels a job as the user this process is.
#include <signal.h>

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "backend/privileged/acts.h"
#include "backend/privileged/outcome.h"
#include "backend/slurm/libslurm.h"

namespace carme {
namespace {

using privileged::v1::Cancel;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;

// Slurm gives its ids out again; and only Carme's jobs are cancelled here.
Response CheckOwnership(const slurm_job_info_t& job, const Cancel& cancel,
                        const Account& account) {
  const std::string expected = absl::StrCat("carme:", cancel.carme_job_id());
  if (job.user_id != account.uid) {
    return Outcome(OUTCOME_REFUSED,
                   absl::StrCat("slurm job ", job.job_id, " belongs to uid ",
                                job.user_id, ": expected ", account.uid));
  }
  if (job.comment == nullptr || job.comment != expected) {
    return Outcome(
        OUTCOME_REFUSED,
        absl::StrCat("slurm job ", job.job_id,
                     " has another comment: expected \"", expected, "\""));
  }
  return Outcome(OUTCOME_OK, "");
}

}  // namespace

Response CancelJob(const Request& request, const Account& account,
                   const ImpersonatorConfig& /*config*/, ChildPipe* pipe) {
  const Cancel& cancel = request.cancel();
  job_info_msg_t* jobs = nullptr;
  if (slurm_load_job(&jobs, cancel.slurm_job_id(), SHOW_ALL) != SLURM_SUCCESS) {
    const int error = slurm_get_errno();
    return MeansJobIsOver(error) ? Outcome(OUTCOME_OK, "job is over")
                                 : SlurmOutcome(error);
  }
  for (uint32_t i = 0; i < jobs->record_count; ++i) {
    const Response owned = CheckOwnership(jobs->job_array[i], cancel, account);
    if (owned.outcome() != OUTCOME_OK) return owned;
  }
  pipe->Begin();
  // As scancel(1): a pending job ends at once, the processes of a running one
  // get SIGTERM, and SIGKILL after slurm.conf's KillWait.
  const std::string id = std::to_string(cancel.slurm_job_id());
  if (slurm_kill_job2(id.c_str(), SIGKILL, 0, nullptr) != SLURM_SUCCESS) {
    const int error = slurm_get_errno();
    if (!MeansJobIsOver(error)) return SlurmOutcome(error);
    return Outcome(OUTCOME_OK, "job is over");
  }
  return Outcome(OUTCOME_OK, "");
}

}  // namespace carme
