// Why a root program does not act as a user.
#ifndef CARME_BACKEND_PRIVILEGED_AUTHZ_MESSAGES_H_
#define CARME_BACKEND_PRIVILEGED_AUTHZ_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::policy_messages {

inline constexpr ErrorTemplate kUserIsRoot{
    absl::StatusCode::kPermissionDenied, "POLICY_USER_IS_ROOT",
    "user \"{user}\" is root or in root's group"};

inline constexpr ErrorTemplate kOtherUid{
    absl::StatusCode::kPermissionDenied, "POLICY_OTHER_UID",
    "user \"{user}\" has uid {uid}: expected {expected}"};

inline constexpr ErrorTemplate kUidTooSmall{
    absl::StatusCode::kPermissionDenied, "POLICY_UID_TOO_SMALL",
    "user \"{user}\" has uid {uid}: expected min_uid {min_uid} or more"};

inline constexpr ErrorTemplate kUserDenied{
    absl::StatusCode::kPermissionDenied, "POLICY_USER_DENIED",
    "user \"{user}\" is in denied_users"};

inline constexpr ErrorTemplate kNotInAllowedGroup{
    absl::StatusCode::kPermissionDenied, "POLICY_NOT_IN_ALLOWED_GROUP",
    "user \"{user}\" is not in allowed_group \"{group}\""};

}  // namespace carme::policy_messages

#endif  // CARME_BACKEND_PRIVILEGED_AUTHZ_MESSAGES_H_
