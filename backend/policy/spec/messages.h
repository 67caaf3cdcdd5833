// The messages about arrays of tasks, whose subject, the array, precedes them,
// and the sources of limits (common/message.h).
#ifndef CARME_BACKEND_POLICY_SPEC_MESSAGES_H_
#define CARME_BACKEND_POLICY_SPEC_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_spec_messages {

inline constexpr ErrorTemplate kListInvalid{
    absl::StatusCode::kInvalidArgument, "ARRAY_LIST_INVALID",
    "is not a valid list of indices: expected for example \"0-9\", \"1,3,5\" "
    "or \"0-99:2\", optionally followed by \"%4\" to run at most 4 at once"};

inline constexpr ErrorTemplate kTooManyTasks{absl::StatusCode::kInvalidArgument,
                                             "ARRAY_TOO_MANY_TASKS",
                                             "has more than {max} tasks"};

inline constexpr ErrorTemplate kIndexRepeated{
    absl::StatusCode::kInvalidArgument, "ARRAY_INDEX_REPEATED",
    "contains an index twice"};

inline constexpr ErrorTemplate kTextTooLong{
    absl::StatusCode::kInvalidArgument, "ARRAY_TEXT_TOO_LONG",
    "has {found} characters: expected at most {max}"};

// Sources of limits.
inline constexpr TextTemplate kSourceConfiguration{"LIMIT_SOURCE_CONFIGURATION",
                                                   "configuration"};

inline constexpr TextTemplate kSourceCluster{"LIMIT_SOURCE_CLUSTER", "cluster"};

inline constexpr TextTemplate kSourceAnyProject{"LIMIT_SOURCE_ANY_PROJECT",
                                                "project"};

inline constexpr TextTemplate kSourceAnyTemplate{"LIMIT_SOURCE_ANY_TEMPLATE",
                                                 "template"};

inline constexpr TextTemplate kSourceRole{"LIMIT_SOURCE_ROLE", "role {role}"};

inline constexpr TextTemplate kSourceTemplate{"LIMIT_SOURCE_TEMPLATE",
                                              "template {template}"};

inline constexpr TextTemplate kSourcePartition{"LIMIT_SOURCE_PARTITION",
                                               "partition {partition}"};

inline constexpr TextTemplate kSourceReservation{"LIMIT_SOURCE_RESERVATION",
                                                 "reservation {reservation}"};

inline constexpr TextTemplate kSourceImage{"LIMIT_SOURCE_IMAGE",
                                           "image {image}"};

}  // namespace carme::backend::policy_spec_messages

#endif  // CARME_BACKEND_POLICY_SPEC_MESSAGES_H_
