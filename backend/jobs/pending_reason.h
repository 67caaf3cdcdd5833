// Why a job waits, in words.
#ifndef CARME_BACKEND_JOBS_PENDING_REASON_H_
#define CARME_BACKEND_JOBS_PENDING_REASON_H_

#include <string>
#include <string_view>

namespace carme {

// One sentence for Slurm's word, e.g. "Resources"; what is not known is quoted.
std::string PendingReason(std::string_view slurm_reason);

}  // namespace carme

#endif  // CARME_BACKEND_JOBS_PENDING_REASON_H_
