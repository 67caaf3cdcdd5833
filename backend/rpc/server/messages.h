// The messages of the gRPC ports (common/message.h).
#ifndef CARME_BACKEND_RPC_SERVER_MESSAGES_H_
#define CARME_BACKEND_RPC_SERVER_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_server_messages {

inline constexpr ErrorTemplate kStreamCertificatesRevoked{
    absl::StatusCode::kUnavailable, "STREAM_CERTIFICATES_REVOKED",
    "certificates were revoked; reconnect"};

inline constexpr ErrorTemplate kStreamTooManyOpen{
    absl::StatusCode::kResourceExhausted, "STREAM_TOO_MANY_OPEN",
    "too many open streams; try again"};

inline constexpr ErrorTemplate kServerPortNotStarted{
    absl::StatusCode::kUnavailable, "SERVER_PORT_NOT_STARTED",
    "the server of the port \"{port}\" does not start"};

inline constexpr MessageTemplate kConfigTooManyProxies{
    "{found} proxies: expected {max} at most"};

inline constexpr MessageTemplate kConfigProxyRepeated{
    "\"{proxy}\" is there twice"};

inline constexpr MessageTemplate kConfigProxyInvalid{
    "\"{proxy}\": expected an IP address and a port, as in "
    "\"192.0.2.10:8444\""};

inline constexpr MessageTemplate kConfigMachineNameInvalid{
    "\"{name}\": expected 1 to 63 of a-z, 0-9, \".\" and \"-\""};

}  // namespace carme::backend::rpc_server_messages

#endif  // CARME_BACKEND_RPC_SERVER_MESSAGES_H_
