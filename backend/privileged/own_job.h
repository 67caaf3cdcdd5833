// Whether a job of Slurm's is the one that a request means.
#ifndef CARME_BACKEND_PRIVILEGED_OWN_JOB_H_
#define CARME_BACKEND_PRIVILEGED_OWN_JOB_H_

#include <cstdint>
#include <string>

#include "backend/privileged/account.h"
#include "backend/slurm/libslurm.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme {

struct OwnJob {
  bool is_over = false;  // Slurm has forgotten it, or does not show it
  // OUTCOME_OK: it is the user's and Carme's, or over. Otherwise what to
  // answer.
  privileged::v1::Response answer;
};
// OUTCOME_OK: it is the user's, and has the comment that Carme gave it. Slurm
// gives its ids out again; and only Carme's jobs are touched here.
privileged::v1::Response CheckOwnJob(const slurm_job_info_t& job,
                                     const std::string& carme_job_id,
                                     const Account& account);
// Asks slurmctld, as the user that this process is.
OwnJob FindOwnJob(uint32_t slurm_job_id, const std::string& carme_job_id,
                  const Account& account);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_OWN_JOB_H_
