// What the proxy reports about routes from the backend and their snapshot.
#ifndef CARME_PROXY_CONTROL_MESSAGES_H_
#define CARME_PROXY_CONTROL_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::proxy::proxy_control_messages {

inline constexpr ErrorTemplate kFileAccess{
    absl::StatusCode::kPermissionDenied, "PROXY_CONTROL_FILE_ACCESS",
    "\"{path}\": expected a file that only this process's user can access"};

inline constexpr ErrorTemplate kSnapshotDamaged{
    absl::StatusCode::kInvalidArgument, "PROXY_CONTROL_SNAPSHOT_DAMAGED",
    "\"{path}\" is damaged: {problem}"};

inline constexpr ErrorTemplate kNotASnapshot{
    absl::StatusCode::kInvalidArgument, "PROXY_CONTROL_NOT_A_SNAPSHOT",
    "\"{path}\" is damaged: not a snapshot"};

inline constexpr ErrorTemplate kSnapshotExpected{
    absl::StatusCode::kInvalidArgument, "PROXY_CONTROL_SNAPSHOT_EXPECTED",
    "expected a snapshot as the first message"};

inline constexpr ErrorTemplate kNoKeys{absl::StatusCode::kInvalidArgument,
                                       "PROXY_CONTROL_NO_KEYS",
                                       "snapshot without keys"};

inline constexpr ErrorTemplate kTooManyRedemptions{
    absl::StatusCode::kResourceExhausted, "PROXY_CONTROL_TOO_MANY_REDEMPTIONS",
    "too many tickets wait for the backend"};

inline constexpr ErrorTemplate kCookieKeyInvalid{
    absl::StatusCode::kInvalidArgument, "PROXY_CONTROL_COOKIE_KEY_INVALID",
    "cookie key of {bytes} bytes: expected 32"};

inline constexpr ErrorTemplate kJobIdInvalid{absl::StatusCode::kInvalidArgument,
                                             "PROXY_CONTROL_JOB_ID_INVALID",
                                             "job \"{job}\": expected an id"};

}  // namespace carme::proxy::proxy_control_messages

#endif  // CARME_PROXY_CONTROL_MESSAGES_H_
