// The messages about users and accounts (common/message.h).
#ifndef CARME_BACKEND_IDENTITY_USERS_MESSAGES_H_
#define CARME_BACKEND_IDENTITY_USERS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::user_messages {

// The table of users.
inline constexpr ErrorTemplate kNameUnknown{
    absl::StatusCode::kNotFound, "USER_NAME_UNKNOWN",
    "no user of that name has logged in"};
inline constexpr ErrorTemplate kUidUnknown{absl::StatusCode::kNotFound,
                                           "USER_UID_UNKNOWN",
                                           "no user of that uid has logged in"};
inline constexpr ErrorTemplate kNameReassigned{
    absl::StatusCode::kNotFound, "USER_NAME_REASSIGNED",
    "the user name belongs to another uid now"};

// The name service (getpwnam, getpwuid).
inline constexpr ErrorTemplate kNoAccountOfName{
    absl::StatusCode::kNotFound, "USER_NAME_NOT_IN_NSS",
    "name service: no account of that name"};
inline constexpr ErrorTemplate kNoAccountOfUid{
    absl::StatusCode::kNotFound, "USER_UID_NOT_IN_NSS",
    "name service: no account of that uid"};
inline constexpr ErrorTemplate kLookupByNameFailed{
    absl::StatusCode::kUnavailable, "USER_NAME_LOOKUP_FAILED",
    "name service: account of that name: {error}"};
inline constexpr ErrorTemplate kLookupByUidFailed{
    absl::StatusCode::kUnavailable, "USER_UID_LOOKUP_FAILED",
    "name service: account of that uid: {error}"};
inline constexpr ErrorTemplate kUidOfAnother{
    absl::StatusCode::kNotFound, "USER_UID_OF_ANOTHER",
    "name service: uid {uid} of \"{name}\" is that of \"{other}\""};

}  // namespace carme::backend::user_messages

#endif  // CARME_BACKEND_IDENTITY_USERS_MESSAGES_H_
