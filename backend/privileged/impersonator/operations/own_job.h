// Whether a Slurm job is the one that a request means.
//
// This program keeps no state, so Slurm must prove it. The proof is the batch
// script: the impersonator wrote it with Carme's job id in it, and Slurm does
// not let users change it. The comment proves nothing, because users can change
// it; it counts only for jobs of an earlier release, whose script has no id.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_OWN_JOB_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_OWN_JOB_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "backend/privileged/privsep/account.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// Asks slurmctld, as the user that this process runs as.
// OUTCOME_OK: the job belongs to the account, and Carme submitted it with this
// id. OUTCOME_REFUSED with ESLURM_INVALID_JOB_ID: it is another job; Slurm
// reuses ids, and only Carme's jobs may be touched.
privileged::v1::Response CheckOwnJob(const slurm_job_info_t& job,
                                     const std::string& carme_job_id,
                                     const Account& account);

struct OwnJob {
  bool is_over = false;  // Slurm has purged the job, or does not show it
  // As CheckOwnJob(); OUTCOME_OK also if the job has ended.
  privileged::v1::Response response;
};
OwnJob FindOwnJob(uint32_t slurm_job_id, const std::string& carme_job_id,
                  const Account& account);

// By the job's script and comment. Pure.
bool IsCarmeJob(std::string_view script, std::string_view comment,
                const std::string& carme_job_id);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_OWN_JOB_H_
