// The messages about announcements (common/message.h).
#ifndef CARME_BACKEND_ANNOUNCEMENTS_MESSAGES_H_
#define CARME_BACKEND_ANNOUNCEMENTS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::backend::announcement_messages {

inline constexpr ErrorTemplate kTitleInvalid{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_TITLE_INVALID",
    "title: expected 1 to {max} printable characters"};

inline constexpr ErrorTemplate kTextInvalid{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_TEXT_INVALID",
    "text: expected at most {max} bytes of printable characters and line ends"};

inline constexpr ErrorTemplate kLevelInvalid{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_LEVEL_INVALID",
    "level: expected ANNOUNCEMENT_LEVEL_INFO or ANNOUNCEMENT_LEVEL_WARNING"};

inline constexpr ErrorTemplate kAudienceInvalid{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_AUDIENCE_INVALID",
    "audience: expected everyone, users, or a project, group or role with its "
    "audienceName"};

inline constexpr ErrorTemplate kRoleInvalid{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_ROLE_INVALID",
    "audienceName: expected \"user\", \"manager\", \"support\" or \"admin\""};

inline constexpr ErrorTemplate kTimeInvalid{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_TIME_INVALID",
    "{field}: expected a time after 1970"};

inline constexpr ErrorTemplate kStartTooFar{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_START_TOO_FAR",
    "startsAt must be at most a year from now"};

inline constexpr ErrorTemplate kEndInvalid{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_END_INVALID",
    "endsAt must be in the future and after startsAt"};

inline constexpr ErrorTemplate kEndTooFar{
    absl::StatusCode::kInvalidArgument, "ANNOUNCEMENT_END_TOO_FAR",
    "endsAt must be at most a year after startsAt"};

inline constexpr ErrorTemplate kProjectUnknown{
    absl::StatusCode::kNotFound, "ANNOUNCEMENT_PROJECT_UNKNOWN",
    "project \"{project}\" does not exist"};

inline constexpr ErrorTemplate kGroupUnknown{
    absl::StatusCode::kNotFound, "ANNOUNCEMENT_GROUP_UNKNOWN",
    "group \"{group}\" does not exist in the directory"};

inline constexpr ErrorTemplate kDirectoryUnavailable{
    absl::StatusCode::kUnavailable, "ANNOUNCEMENT_DIRECTORY_UNAVAILABLE",
    "the directory does not respond, and the group cannot be checked: try "
    "again"};

inline constexpr ErrorTemplate kNotFound{
    absl::StatusCode::kNotFound, "ANNOUNCEMENT_NOT_FOUND",
    "announcement \"{id}\" does not exist"};

inline constexpr ErrorTemplate kTooMany{
    absl::StatusCode::kResourceExhausted, "ANNOUNCEMENT_TOO_MANY",
    "there are {max} announcements: delete one that has ended"};

}  // namespace carme::backend::announcement_messages

#endif  // CARME_BACKEND_ANNOUNCEMENTS_MESSAGES_H_
