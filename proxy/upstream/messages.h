// Why the proxy has no connection to an app or rejects a reverse tunnel.
#ifndef CARME_PROXY_UPSTREAM_MESSAGES_H_
#define CARME_PROXY_UPSTREAM_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::proxy::proxy_upstream_messages {

inline constexpr ErrorTemplate kJobUnknown{absl::StatusCode::kPermissionDenied,
                                           "PROXY_UPSTREAM_JOB_UNKNOWN",
                                           "job \"{job}\" is unknown"};

inline constexpr ErrorTemplate kNoTunnelJob{
    absl::StatusCode::kPermissionDenied, "PROXY_UPSTREAM_NO_TUNNEL_JOB",
    "job \"{job}\" does not use a reverse tunnel"};

inline constexpr ErrorTemplate kNoTunnel{absl::StatusCode::kDeadlineExceeded,
                                         "PROXY_UPSTREAM_NO_TUNNEL",
                                         "the agent has no reverse tunnel"};

inline constexpr ErrorTemplate kConnectionClosed{
    absl::StatusCode::kUnavailable, "PROXY_UPSTREAM_CONNECTION_CLOSED",
    "connection closed"};

inline constexpr ErrorTemplate kStopping{absl::StatusCode::kUnavailable,
                                         "PROXY_UPSTREAM_STOPPING", "stopping"};

inline constexpr ErrorTemplate kTooManyHandshakes{
    absl::StatusCode::kResourceExhausted, "PROXY_UPSTREAM_TOO_MANY_HANDSHAKES",
    "too many handshakes from this address"};

inline constexpr ErrorTemplate kTooManyAgents{
    absl::StatusCode::kResourceExhausted, "PROXY_UPSTREAM_TOO_MANY_AGENTS",
    "too many agents from this address"};

inline constexpr ErrorTemplate kNotAPreamble{absl::StatusCode::kInvalidArgument,
                                             "PROXY_UPSTREAM_NOT_A_PREAMBLE",
                                             "not a tunnel preamble"};

inline constexpr ErrorTemplate kInvalidJobId{
    absl::StatusCode::kInvalidArgument, "PROXY_UPSTREAM_INVALID_JOB_ID",
    "invalid job id in tunnel preamble"};

inline constexpr ErrorTemplate kTunnelsDisabled{
    absl::StatusCode::kUnavailable, "PROXY_UPSTREAM_TUNNELS_DISABLED",
    "reverse tunnels are not enabled"};

}  // namespace carme::proxy::proxy_upstream_messages

#endif  // CARME_PROXY_UPSTREAM_MESSAGES_H_
