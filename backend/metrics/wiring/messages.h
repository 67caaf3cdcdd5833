// The messages about the configuration of carme-metrics (common/message.h).
#ifndef CARME_BACKEND_METRICS_WIRING_MESSAGES_H_
#define CARME_BACKEND_METRICS_WIRING_MESSAGES_H_

#include "common/message.h"

namespace carme::metrics::wiring_messages {

inline constexpr MessageTemplate kNotAnAddress{
    "\"{value}\": expected an IP address and a port"};
inline constexpr MessageTemplate kNotAUrl{
    "\"{value}\": expected http://host:port or https://host:port"};
inline constexpr MessageTemplate kNotAMachineName{
    "\"{value}\": expected lower-case letters, digits, \".\" and \"-\""};
inline constexpr MessageTemplate kNotAClusterName{
    "\"{value}\": expected letters, digits, \".\", \"_\" and \"-\""};
inline constexpr MessageTemplate kNoPassword{
    "is set, but password_file is not"};

inline constexpr ErrorTemplate kBackendAway{
    absl::StatusCode::kUnavailable, "METRICS_BACKEND_AWAY",
    "never connected to the backend: no agent can connect yet"};

}  // namespace carme::metrics::wiring_messages

#endif  // CARME_BACKEND_METRICS_WIRING_MESSAGES_H_
