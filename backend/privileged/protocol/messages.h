// What the backend reports about a root program's socket, and a root program
// about an invalid request.
#ifndef CARME_BACKEND_PRIVILEGED_PROTOCOL_MESSAGES_H_
#define CARME_BACKEND_PRIVILEGED_PROTOCOL_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::privileged_protocol_messages {

inline constexpr ErrorTemplate kMessageTruncated{
    absl::StatusCode::kInvalidArgument, "PRIVILEGED_MESSAGE_TRUNCATED",
    "truncated message"};

inline constexpr ErrorTemplate kUserNameInvalid{
    absl::StatusCode::kInvalidArgument, "PRIVILEGED_USER_NAME_INVALID",
    "message with an invalid user name"};

inline constexpr ErrorTemplate kSocketNameTooLong{
    absl::StatusCode::kUnavailable, "PRIVILEGED_SOCKET_NAME_TOO_LONG",
    "{subject}: name too long"};

inline constexpr ErrorTemplate kNoResponse{
    absl::StatusCode::kDeadlineExceeded, "PRIVILEGED_NO_RESPONSE",
    "the {program} did not respond within {timeout}"};

inline constexpr ErrorTemplate kEndedEarly{
    absl::StatusCode::kAborted, "PRIVILEGED_ENDED_EARLY",
    "the {program} ended before it responded"};

inline constexpr ErrorTemplate kUserNotServed{
    absl::StatusCode::kPermissionDenied, "PRIVILEGED_USER_NOT_SERVED",
    "the {program} does not serve this user"};

inline constexpr ErrorTemplate kFrameLate{absl::StatusCode::kDeadlineExceeded,
                                          "PRIVILEGED_FRAME_LATE",
                                          "frame incomplete at the deadline"};

inline constexpr ErrorTemplate kFrameLength{
    absl::StatusCode::kInvalidArgument, "PRIVILEGED_FRAME_LENGTH",
    "frame of {length} bytes: expected 1 to {max}"};

inline constexpr ErrorTemplate kFrameTruncated{
    absl::StatusCode::kInvalidArgument, "PRIVILEGED_FRAME_TRUNCATED",
    "frame truncated after {bytes} bytes"};

inline constexpr ErrorTemplate kPeerDoesNotRead{absl::StatusCode::kUnavailable,
                                                "PRIVILEGED_PEER_DOES_NOT_READ",
                                                "the peer does not read"};

inline constexpr ErrorTemplate kFieldInvalid{
    absl::StatusCode::kInvalidArgument, "PRIVILEGED_FIELD_INVALID",
    "field \"{field}\": expected {expected}"};

inline constexpr ErrorTemplate kRequestUnparsable{
    absl::StatusCode::kInvalidArgument, "PRIVILEGED_REQUEST_UNPARSABLE",
    "invalid request: cannot be parsed"};

inline constexpr ErrorTemplate kRequestFieldsUnknown{
    absl::StatusCode::kInvalidArgument, "PRIVILEGED_REQUEST_FIELDS_UNKNOWN",
    "request with unknown fields: the backend may be newer than this program"};

}  // namespace carme::privileged_protocol_messages

#endif  // CARME_BACKEND_PRIVILEGED_PROTOCOL_MESSAGES_H_
