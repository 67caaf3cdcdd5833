// The messages about what agents report, and about addresses of nodes
// (common/message.h).
#ifndef CARME_BACKEND_JOBS_MODEL_MESSAGES_H_
#define CARME_BACKEND_JOBS_MODEL_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_model_messages {

inline constexpr TextTemplate kStoppedByAdministrator{
    "JOB_STOPPED_BY_ADMINISTRATOR",
    "stopped by the administrator {administrator}: {reason}"};

// How far the copying of a job's data had come.
inline constexpr TextTemplate kCopyingIncomplete{
    "JOB_COPYING_INCOMPLETE",
    "the job ended before all files were copied; {progress}"};
// Of an array.
inline constexpr TextTemplate kTaskDetail{"JOB_TASK_DETAIL",
                                          "task {task}: {detail}"};

inline constexpr ErrorTemplate kInvalidKey{
    absl::StatusCode::kInvalidArgument, "JOB_SSH_KEY_INVALID",
    "invalid SSH key of the job: expected a public ssh-ed25519 key"};
inline constexpr ErrorTemplate kInvalidNumbers{
    absl::StatusCode::kInvalidArgument, "JOB_NODE_NUMBERS_INVALID",
    "a node's numbers are out of range"};
inline constexpr ErrorTemplate kUnknownNode{absl::StatusCode::kUnavailable,
                                            "JOB_NODE_UNKNOWN",
                                            "a node of the job is not known"};
inline constexpr ErrorTemplate kWrongAddress{
    absl::StatusCode::kInvalidArgument, "JOB_NODE_ADDRESS_WRONG",
    "node \"{node}\" is reported at \"{address}\": expected \"{expected}\""};
inline constexpr ErrorTemplate kTooManyNodes{
    absl::StatusCode::kInvalidArgument, "JOB_NODE_LIMIT_EXCEEDED",
    "too many nodes are reported for the job"};
inline constexpr ErrorTemplate kUnexpectedNode{
    absl::StatusCode::kInvalidArgument, "JOB_NODE_UNEXPECTED",
    "node \"{node}\" is reported for the job: expected the nodes that Slurm "
    "allocated, once each"};
inline constexpr ErrorTemplate kMissingNode{absl::StatusCode::kInvalidArgument,
                                            "JOB_NODE_MISSING",
                                            "a node of the job is missing"};
inline constexpr ErrorTemplate kNameNotResolved{absl::StatusCode::kUnavailable,
                                                "JOB_NODE_NAME_NOT_RESOLVED",
                                                "resolve \"{node}\": {cause}"};

}  // namespace carme::backend::job_model_messages

#endif  // CARME_BACKEND_JOBS_MODEL_MESSAGES_H_
