// The meaning of Submitter's errors, and what clients may see of them.
#ifndef CARME_BACKEND_SLURM_IMPERSONATOR_OPERATION_ERROR_H_
#define CARME_BACKEND_SLURM_IMPERSONATOR_OPERATION_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::backend {

// Whether the code means that nothing was done. After all other codes, also
// undocumented ones, the effect is unknown.
bool IsPermanentRejection(absl::StatusCode code);

// Refusals are written for users; other errors name internals and are replaced.
absl::Status ClientOperationError(const absl::Status& status);

// Logs `status` and returns `shown`, which has no parameters.
absl::Status HideError(const absl::Status& status,
                       const std::string& request_id,
                       const ErrorTemplate& shown);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_IMPERSONATOR_OPERATION_ERROR_H_
