// The messages about the limits that administrators set (common/message.h).
#ifndef CARME_BACKEND_QUOTAS_MESSAGES_H_
#define CARME_BACKEND_QUOTAS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::quota_messages {

inline constexpr ErrorTemplate kMetricInvalid{
    absl::StatusCode::kInvalidArgument, "QUOTA_METRIC_INVALID",
    "metric: unknown value"};

inline constexpr ErrorTemplate kMaxInvalid{
    absl::StatusCode::kInvalidArgument, "QUOTA_MAX_INVALID",
    "max is {found}: expected 0 to {max}"};

inline constexpr ErrorTemplate kNoteTooLong{
    absl::StatusCode::kInvalidArgument, "QUOTA_NOTE_TOO_LONG",
    "note: expected at most {max} printable characters"};

inline constexpr ErrorTemplate kEndPassed{
    absl::StatusCode::kInvalidArgument, "QUOTA_END_PASSED",
    "the limit's end must be in the future"};

inline constexpr ErrorTemplate kEndTooFar{
    absl::StatusCode::kInvalidArgument, "QUOTA_END_TOO_FAR",
    "the limit's end is more than 100 years ahead"};

inline constexpr ErrorTemplate kScopeInvalid{absl::StatusCode::kInvalidArgument,
                                             "QUOTA_SCOPE_INVALID",
                                             "scope: unknown value"};

inline constexpr ErrorTemplate kTargetInvalid{
    absl::StatusCode::kInvalidArgument, "QUOTA_TARGET_INVALID",
    "the limit's target does not match its scope: expected a role or group, a "
    "project, a user, or a project and optionally a user"};

inline constexpr ErrorTemplate kRoleInvalid{
    absl::StatusCode::kInvalidArgument, "QUOTA_ROLE_INVALID",
    "role: expected user, manager, support or admin"};

inline constexpr ErrorTemplate kNameTooLong{
    absl::StatusCode::kInvalidArgument, "QUOTA_NAME_TOO_LONG",
    "a name has more than {max} printable characters"};

inline constexpr ErrorTemplate kProjectNotFound{absl::StatusCode::kNotFound,
                                                "QUOTA_PROJECT_NOT_FOUND",
                                                "project not found"};

inline constexpr ErrorTemplate kGroupsUnavailable{
    absl::StatusCode::kUnavailable, "QUOTA_GROUPS_UNAVAILABLE",
    "your groups, which limits depend on, cannot be looked up now: try again"};

inline constexpr ErrorTemplate kUidChanged{absl::StatusCode::kNotFound,
                                           "QUOTA_UID_CHANGED",
                                           "the user has another uid now"};

inline constexpr ErrorTemplate kJobWithoutEnd{
    absl::StatusCode::kFailedPrecondition, "QUOTA_JOB_WITHOUT_END",
    "the job does not run, or has no end"};

inline constexpr ErrorTemplate kGroupNotFound{
    absl::StatusCode::kNotFound, "QUOTA_GROUP_NOT_FOUND",
    "the directory has no group \"{group}\" below the site's group base"};

inline constexpr ErrorTemplate kDirectoryUnavailable{
    absl::StatusCode::kUnavailable, "QUOTA_DIRECTORY_UNAVAILABLE",
    "the directory does not respond: try again"};

inline constexpr ErrorTemplate kUserNotFound{
    absl::StatusCode::kNotFound, "QUOTA_USER_NOT_FOUND", "user not found"};

inline constexpr ErrorTemplate kTooManyRules{
    absl::StatusCode::kResourceExhausted, "QUOTA_TOO_MANY_RULES",
    "there are {max} limits already"};

inline constexpr ErrorTemplate kNotFound{absl::StatusCode::kNotFound,
                                         "QUOTA_NOT_FOUND", "limit not found"};

// The text of a notification.
inline constexpr TextTemplate kLimitSet{
    "QUOTA_NOTICE_LIMIT_SET",
    "An administrator has set a limit for you: at most {max} ({limit}, "
    "{source})."};

inline constexpr TextTemplate kLimitSetWithNote{
    "QUOTA_NOTICE_LIMIT_SET_WITH_NOTE",
    "An administrator has set a limit for you: at most {max} ({limit}, "
    "{source}): {note}"};

inline constexpr TextTemplate kNoLimitSet{
    "QUOTA_NOTICE_NO_LIMIT",
    "An administrator has set a limit for you: no limit ({limit}, {source})."};

inline constexpr TextTemplate kNoLimitSetWithNote{
    "QUOTA_NOTICE_NO_LIMIT_WITH_NOTE",
    "An administrator has set a limit for you: no limit ({limit}, {source}): "
    "{note}"};

}  // namespace carme::backend::quota_messages

#endif  // CARME_BACKEND_QUOTAS_MESSAGES_H_
