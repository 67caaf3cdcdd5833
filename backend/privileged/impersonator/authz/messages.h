// Refusals of the impersonator's limits.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_MESSAGES_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::impersonator::impersonator_authz_messages {

inline constexpr ErrorTemplate kRateLimited{
    absl::StatusCode::kResourceExhausted, "IMPERSONATOR_RATE_LIMITED",
    "too many {subject} of {account}: the limit is {limit} a minute ({key}): "
    "wait a minute"};

inline constexpr ErrorTemplate kSlurmConfIncludes{
    absl::StatusCode::kFailedPrecondition, "IMPERSONATOR_SLURM_CONF_INCLUDES",
    "\"{path}\" includes other files: expected a single file"};

inline constexpr ErrorTemplate kUserOperationsRunning{
    absl::StatusCode::kResourceExhausted,
    "IMPERSONATOR_USER_OPERATIONS_RUNNING",
    "this user has {slots} operations running, half of max_operations: try "
    "again"};

inline constexpr ErrorTemplate kUserBusy{
    absl::StatusCode::kResourceExhausted, "IMPERSONATOR_USER_BUSY",
    "another operation of this user is running: try again"};

}  // namespace carme::impersonator::impersonator_authz_messages

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_MESSAGES_H_
