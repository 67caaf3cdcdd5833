// The messages about the connection to the backend (common/message.h).
#ifndef CARME_BACKEND_METRICS_JOBS_MESSAGES_H_
#define CARME_BACKEND_METRICS_JOBS_MESSAGES_H_

#include "common/message.h"

namespace carme::metrics::jobs_messages {

inline constexpr ErrorTemplate kNotConnected{
    absl::StatusCode::kUnavailable, "METRICS_BACKEND_UNREACHABLE",
    "metrics cannot be shown: the backend cannot be asked who may see them; "
    "try again later"};

}  // namespace carme::metrics::jobs_messages

#endif  // CARME_BACKEND_METRICS_JOBS_MESSAGES_H_
