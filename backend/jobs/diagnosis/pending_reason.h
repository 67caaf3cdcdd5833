// Why a job is pending, in a sentence for the user.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_PENDING_REASON_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_PENDING_REASON_H_

#include <string_view>

#include "backend/policy/spec/job_spec.h"
#include "backend/slurm/snapshot.h"
#include "common/display_text.h"

namespace carme::backend {

// One sentence for a reason of Slurm, such as "Resources", with what to do if
// there is anything; an unknown reason is quoted.
DisplayText PendingReason(std::string_view slurm_reason);

// The same with numbers: the free resources in `cluster`, the number of jobs
// ahead, the limit that is reached, and details that Slurm reports. `cluster`
// may be null. Pure.
DisplayText PendingReason(const SlurmJob& slurm, const JobSpec& spec,
                          const SlurmSnapshot* cluster);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_PENDING_REASON_H_
