// Why a job waits, in words.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_PENDING_REASON_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_PENDING_REASON_H_

#include <string>
#include <string_view>

#include "backend/policy/spec/job_spec.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// One sentence for Slurm's word, e.g. "Resources", with what to do where there
// is something; what is not known is quoted.
std::string PendingReason(std::string_view slurm_reason);

// The same with the numbers behind it: what of `cluster` is free, how many jobs
// are ahead, which limit it is, and what Slurm says besides. `cluster` may be
// null. Pure.
std::string PendingReason(const SlurmJob& slurm, const JobSpec& spec,
                          const SlurmSnapshot* cluster);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_PENDING_REASON_H_
