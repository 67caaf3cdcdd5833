// What the proxy reports about its start and its readiness.
#ifndef CARME_PROXY_SERVER_MESSAGES_H_
#define CARME_PROXY_SERVER_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::proxy::proxy_server_messages {

inline constexpr ErrorTemplate kTooManySockets{
    absl::StatusCode::kInvalidArgument, "PROXY_SERVER_TOO_MANY_SOCKETS",
    "too many sockets"};

inline constexpr ErrorTemplate kNoRoutesYet{
    absl::StatusCode::kUnavailable, "PROXY_SERVER_NO_ROUTES_YET",
    "no routes received from the backend yet"};

inline constexpr ErrorTemplate kNoRoutes{
    absl::StatusCode::kDeadlineExceeded, "PROXY_SERVER_NO_ROUTES",
    "no routes from the backend or the snapshot file"};

}  // namespace carme::proxy::proxy_server_messages

#endif  // CARME_PROXY_SERVER_MESSAGES_H_
