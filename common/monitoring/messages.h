// The messages of monitoring (common/message.h).
#ifndef CARME_COMMON_MONITORING_MESSAGES_H_
#define CARME_COMMON_MONITORING_MESSAGES_H_

#include "common/message.h"

namespace carme::monitoring_messages {

inline constexpr ErrorTemplate kNoAddress{
    absl::StatusCode::kFailedPrecondition, "HEALTH_CHECK_NO_ADDRESS",
    "health check: metrics_listen is empty: set it to an address of this host, "
    "such as \"127.0.0.1:{port}\""};
inline constexpr ErrorTemplate kUnreachable{
    absl::StatusCode::kUnavailable, "HEALTH_CHECK_UNREACHABLE",
    "health check: no response from \"{address}\" (metrics_listen): {error}: "
    "is the program running?"};
inline constexpr ErrorTemplate kUnhealthy{
    absl::StatusCode::kUnavailable, "HEALTH_CHECK_UNHEALTHY",
    "health check: \"{address}\" (metrics_listen) responds: {response}"};

}  // namespace carme::monitoring_messages

#endif  // CARME_COMMON_MONITORING_MESSAGES_H_
