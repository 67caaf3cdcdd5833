// Errors that the gateway itself returns to a client.
#ifndef CARME_FRONTEND_GATEWAY_MESSAGES_H_
#define CARME_FRONTEND_GATEWAY_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::frontend::gateway_messages {

inline constexpr ErrorTemplate kTwoCredentials{
    absl::StatusCode::kInvalidArgument, "GATEWAY_TWO_CREDENTIALS",
    "both a session cookie and an access token were sent: expected one"};

inline constexpr ErrorTemplate kNotABearer{
    absl::StatusCode::kUnauthenticated, "GATEWAY_NOT_A_BEARER",
    "authorization: expected \"Bearer\" and an access token of Carme"};

inline constexpr ErrorTemplate kProtocolVersion{
    absl::StatusCode::kInvalidArgument, "GATEWAY_PROTOCOL_VERSION",
    "connect-protocol-version \"{version}\": expected \"1\""};

inline constexpr ErrorTemplate kCodingUnsupported{
    absl::StatusCode::kUnimplemented, "GATEWAY_CODING_UNSUPPORTED",
    "{header} \"{coding}\": supported: \"identity\""};

inline constexpr ErrorTemplate kTimeoutInvalid{
    absl::StatusCode::kInvalidArgument, "GATEWAY_TIMEOUT_INVALID",
    "connect-timeout-ms \"{value}\": expected 1 to 9999999999"};

inline constexpr ErrorTemplate kRequestTooShort{
    absl::StatusCode::kInvalidArgument, "GATEWAY_REQUEST_TOO_SHORT",
    "request of {bytes} bytes: expected one enveloped message"};

inline constexpr ErrorTemplate kFlagsInvalid{
    absl::StatusCode::kInvalidArgument, "GATEWAY_FLAGS_INVALID",
    "envelope flags {flags}: expected 0"};

inline constexpr ErrorTemplate kEnvelopeLength{
    absl::StatusCode::kInvalidArgument, "GATEWAY_ENVELOPE_LENGTH",
    "envelope of {length} bytes, {bytes} bytes follow: expected exactly one "
    "message"};

inline constexpr ErrorTemplate kTooManyStreams{
    absl::StatusCode::kUnavailable, "GATEWAY_TOO_MANY_STREAMS",
    "too many open pages; try again later"};

inline constexpr ErrorTemplate kTooManyStreamsOfSession{
    absl::StatusCode::kResourceExhausted, "GATEWAY_TOO_MANY_STREAMS_OF_SESSION",
    "too many open pages for one session: allowed: {max}; close another one"};

inline constexpr ErrorTemplate kStopping{absl::StatusCode::kUnavailable,
                                         "GATEWAY_STOPPING",
                                         "the portal is restarting; try again"};

inline constexpr ErrorTemplate kInvalidRequest{
    absl::StatusCode::kInvalidArgument, "GATEWAY_INVALID_REQUEST",
    "request: {cause}"};

inline constexpr ErrorTemplate kCookieTwice{absl::StatusCode::kInvalidArgument,
                                            "GATEWAY_COOKIE_TWICE",
                                            "cookie \"{name}\" was sent twice"};

inline constexpr ErrorTemplate kCookieMalformed{
    absl::StatusCode::kUnauthenticated, "GATEWAY_COOKIE_MALFORMED",
    "the session cookie is malformed; log in"};

inline constexpr ErrorTemplate kBatchSize{
    absl::StatusCode::kInvalidArgument, "GATEWAY_BATCH_SIZE",
    "batch of {calls} calls: expected 1 to {max}"};

inline constexpr ErrorTemplate kBatchMethod{
    absl::StatusCode::kInvalidArgument, "GATEWAY_BATCH_METHOD",
    "method \"{method}\" cannot be in a batch: call it alone"};

inline constexpr ErrorTemplate kBatchOfPublicCalls{
    absl::StatusCode::kInvalidArgument, "GATEWAY_BATCH_OF_PUBLIC_CALLS",
    "batch without a call that needs a session: call the methods alone"};

inline constexpr ErrorTemplate kBatchWithToken{
    absl::StatusCode::kInvalidArgument, "GATEWAY_BATCH_WITH_TOKEN",
    "batches are for pages: call the methods alone"};

inline constexpr ErrorTemplate kBatchWithoutSession{
    absl::StatusCode::kUnauthenticated, "GATEWAY_BATCH_WITHOUT_SESSION",
    "log in"};

inline constexpr ErrorTemplate kTooManyBatches{
    absl::StatusCode::kResourceExhausted, "GATEWAY_TOO_MANY_BATCHES",
    "too many batches at the same time: call the methods alone"};

}  // namespace carme::frontend::gateway_messages

#endif  // CARME_FRONTEND_GATEWAY_MESSAGES_H_
