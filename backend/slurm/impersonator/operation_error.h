// What an error of the submitter's means, and what of it a client may see.
#ifndef CARME_BACKEND_SLURM_IMPERSONATOR_OPERATION_ERROR_H_
#define CARME_BACKEND_SLURM_IMPERSONATOR_OPERATION_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace carme::backend {

// The submitter's codes after which nothing was certainly done. All others,
// also those that it does not promise, leave it open.
bool IsPermanentRejection(absl::StatusCode code);

// Refusals are in words for people, the rest names sockets and the like.
absl::Status ClientOperationError(const absl::Status& status);

// UNAVAILABLE with this sentence; the error itself goes to the log.
absl::Status HideError(const absl::Status& status,
                       const std::string& request_id, const std::string& shown);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_IMPERSONATOR_OPERATION_ERROR_H_
