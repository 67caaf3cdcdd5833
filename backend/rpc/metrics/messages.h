// The messages of MetricsAccessService (common/message.h).
#ifndef CARME_BACKEND_RPC_METRICS_MESSAGES_H_
#define CARME_BACKEND_RPC_METRICS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_metrics_messages {

inline constexpr ErrorTemplate kSessionEnded{absl::StatusCode::kUnauthenticated,
                                             "METRICS_SESSION_ENDED",
                                             "the session has ended"};
inline constexpr ErrorTemplate kJobNotFound{
    absl::StatusCode::kNotFound, "METRICS_JOB_NOT_FOUND",
    "no such job, or you may not see its metrics"};
inline constexpr ErrorTemplate kPersonUnknown{
    absl::StatusCode::kUnavailable, "METRICS_PERSON_UNKNOWN",
    "the directory cannot be asked who you are; try again"};

}  // namespace carme::backend::rpc_metrics_messages

#endif  // CARME_BACKEND_RPC_METRICS_MESSAGES_H_
