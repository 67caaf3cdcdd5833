// The messages about queries of slurmdbd (common/message.h).
#ifndef CARME_BACKEND_SLURM_ACCOUNTING_MESSAGES_H_
#define CARME_BACKEND_SLURM_ACCOUNTING_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::slurm_accounting_messages {

inline constexpr ErrorTemplate kNotConfigured{absl::StatusCode::kUnavailable,
                                              "SLURMDBD_NOT_CONFIGURED",
                                              "slurm.conf names no slurmdbd"};

inline constexpr ErrorTemplate kNotResponding{
    absl::StatusCode::kUnavailable, "SLURMDBD_NOT_RESPONDING",
    "slurmdbd has not responded for some time"};

inline constexpr ErrorTemplate kTimedOut{absl::StatusCode::kUnavailable,
                                         "SLURMDBD_TIMED_OUT",
                                         "slurmdbd does not respond in time"};

inline constexpr ErrorTemplate kQueryFailed{
    absl::StatusCode::kUnavailable, "SLURMDBD_QUERY_FAILED",
    "query slurmdbd for {what}: {problem}"};

}  // namespace carme::backend::slurm_accounting_messages

#endif  // CARME_BACKEND_SLURM_ACCOUNTING_MESSAGES_H_
