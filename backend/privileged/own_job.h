// Whether a job of Slurm's is the one that a request means.
//
// This program keeps no state, so Slurm itself must prove it. The proof is the
// batch script: the impersonator wrote it with the id of Carme's job in it, and
// Slurm lets nobody change it. A job's comment proves nothing, because its user
// may change it; it counts only for jobs that an earlier release submitted with
// a script without the id.
#ifndef CARME_BACKEND_PRIVILEGED_OWN_JOB_H_
#define CARME_BACKEND_PRIVILEGED_OWN_JOB_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "backend/privileged/account.h"
#include "backend/slurm/libslurm.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

struct OwnJob {
  bool is_over = false;  // Slurm has forgotten it, or does not show it
  // OUTCOME_OK: it is the user's and Carme's, or over. Otherwise what to
  // answer.
  privileged::v1::Response answer;
};
// OUTCOME_OK: it is the user's, and the job of that id that Carme submitted.
// OUTCOME_REFUSED with ESLURM_INVALID_JOB_ID: it is another one; Slurm gives its
// ids out again, and only Carme's jobs are touched here. Asks slurmctld, as the
// user that this process is.
privileged::v1::Response CheckOwnJob(const slurm_job_info_t& job,
                                     const std::string& carme_job_id,
                                     const Account& account);
OwnJob FindOwnJob(uint32_t slurm_job_id, const std::string& carme_job_id,
                  const Account& account);

// By what Slurm has of a job. Pure.
bool IsCarmeJob(std::string_view script, std::string_view comment,
                const std::string& carme_job_id);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_OWN_JOB_H_
