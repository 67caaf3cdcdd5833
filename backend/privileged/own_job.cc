#include "backend/privileged/own_job.h"

#include "absl/strings/str_cat.h"
#include "backend/privileged/outcome.h"
#include "backend/slurm/libslurm.h"

namespace carme {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::Response;

}  // namespace

Response CheckOwnJob(const slurm_job_info_t& job,
                     const std::string& carme_job_id, const Account& account) {
  const std::string expected = absl::StrCat("carme:", carme_job_id);
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

OwnJob FindOwnJob(uint32_t slurm_job_id, const std::string& carme_job_id,
                  const Account& account) {
  job_info_msg_t* jobs = nullptr;
  if (slurm_load_job(&jobs, slurm_job_id, SHOW_ALL) != SLURM_SUCCESS) {
    const int error = slurm_get_errno();
    if (!MeansJobIsOver(error)) return {false, SlurmOutcome(error)};
    return {true, Outcome(OUTCOME_OK, "job is over")};
  }
  for (uint32_t i = 0; i < jobs->record_count; ++i) {
    const Response owned =
        CheckOwnJob(jobs->job_array[i], carme_job_id, account);
    if (owned.outcome() != OUTCOME_OK) return {false, owned};
  }
  return {false, Outcome(OUTCOME_OK, "")};
}

}  // namespace carme
