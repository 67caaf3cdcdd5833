// The messages about operations of the impersonator (common/message.h).
#ifndef CARME_BACKEND_SLURM_IMPERSONATOR_MESSAGES_H_
#define CARME_BACKEND_SLURM_IMPERSONATOR_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::slurm_operation_messages {

inline constexpr ErrorTemplate kStalled{absl::StatusCode::kDeadlineExceeded,
                                        "SLURM_OPERATION_STALLED",
                                        "Slurm does not respond any more"};

inline constexpr ErrorTemplate kImpersonatorEnded{
    absl::StatusCode::kUnavailable, "SLURM_OPERATION_IMPERSONATOR_ENDED",
    "the impersonator ended before the operation"};

inline constexpr ErrorTemplate kJobIdMissing{
    absl::StatusCode::kAborted, "SLURM_OPERATION_JOB_ID_MISSING",
    "the impersonator returned no slurm job id"};

inline constexpr ErrorTemplate kNotResponding{absl::StatusCode::kUnavailable,
                                              "SLURM_OPERATION_NOT_RESPONDING",
                                              "Slurm does not respond"};

inline constexpr ErrorTemplate kUnreachable{
    absl::StatusCode::kUnavailable, "SLURM_OPERATION_UNREACHABLE",
    "Slurm cannot be reached now; try again"};

}  // namespace carme::backend::slurm_operation_messages

#endif  // CARME_BACKEND_SLURM_IMPERSONATOR_MESSAGES_H_
