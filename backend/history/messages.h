// The messages about the history of jobs and the utilization
// (common/message.h).
#ifndef CARME_BACKEND_HISTORY_MESSAGES_H_
#define CARME_BACKEND_HISTORY_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::history_messages {

inline constexpr ErrorTemplate kSearchInvalid{
    absl::StatusCode::kInvalidArgument, "HISTORY_SEARCH_INVALID",
    "search: expected at most 100 printable characters"};

inline constexpr ErrorTemplate kTooManyEnds{absl::StatusCode::kInvalidArgument,
                                            "HISTORY_TOO_MANY_ENDS",
                                            "ends: expected at most 16"};

inline constexpr ErrorTemplate kPeriodInvalid{
    absl::StatusCode::kInvalidArgument, "HISTORY_PERIOD_INVALID",
    "from: expected a time before \"to\""};

inline constexpr ErrorTemplate kTooManySteps{
    absl::StatusCode::kInvalidArgument, "HISTORY_TOO_MANY_STEPS",
    "step_starts: {count} steps, expected at most {max}"};

inline constexpr ErrorTemplate kStepsInvalid{
    absl::StatusCode::kInvalidArgument, "HISTORY_STEPS_INVALID",
    "step_starts: expected ascending times from \"from\" on"};

inline constexpr ErrorTemplate kAllJobsDenied{
    absl::StatusCode::kPermissionDenied, "HISTORY_ALL_JOBS_DENIED",
    "only support and administrators may see the jobs of all users"};

inline constexpr ErrorTemplate kScopeInvalid{absl::StatusCode::kInvalidArgument,
                                             "HISTORY_SCOPE_INVALID",
                                             "whose: unknown value"};

inline constexpr ErrorTemplate kProjectRequired{
    absl::StatusCode::kInvalidArgument, "HISTORY_PROJECT_REQUIRED",
    "project: expected its id"};

inline constexpr ErrorTemplate kProjectNotManaged{
    absl::StatusCode::kNotFound, "HISTORY_PROJECT_NOT_MANAGED",
    "you do not manage this project"};

inline constexpr ErrorTemplate kUtilizationRangeInvalid{
    absl::StatusCode::kInvalidArgument, "HISTORY_UTILIZATION_RANGE_INVALID",
    "range: unknown value"};

}  // namespace carme::backend::history_messages

#endif  // CARME_BACKEND_HISTORY_MESSAGES_H_
