// The messages about a job's fields (common/message.h).
#ifndef CARME_BACKEND_POLICY_CHECKS_MESSAGES_H_
#define CARME_BACKEND_POLICY_CHECKS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_check_messages {

inline constexpr TextTemplate kFieldOfJoinedJob{
    "JOB_SPEC_FIELD_OF_JOINED_JOB",
    "{field} must be that of the job to which nodes are added, \"{expected}\""};

inline constexpr TextTemplate kFieldWithAdditionalNodes{
    "JOB_SPEC_FIELD_WITH_ADDITIONAL_NODES",
    "{field} is not allowed when nodes are added to a job"};

inline constexpr TextTemplate kWalltimeAboveJoinedJob{
    "JOB_SPEC_WALLTIME_ABOVE_JOINED_JOB",
    "walltime is {walltime} min: the job that it joins has {left} min left"};

inline constexpr TextTemplate kFieldOfBatchJob{
    "JOB_SPEC_FIELD_OF_BATCH_JOB", "{field} is not allowed for a batch job"};

inline constexpr TextTemplate kCommandTooLong{
    "JOB_SPEC_COMMAND_TOO_LONG",
    "command has {bytes} bytes: expected at most {max}, without NUL bytes"};

inline constexpr TextTemplate kTooManyArguments{
    "JOB_SPEC_TOO_MANY_ARGUMENTS",
    "script has {arguments} arguments of {bytes} bytes: expected at most {max} "
    "of {max_bytes} bytes in total, without NUL bytes"};

inline constexpr TextTemplate kArrayInvalid{"JOB_SPEC_ARRAY_INVALID",
                                            "array \"{array}\" {problem}"};

inline constexpr TextTemplate kArrayTooLarge{
    "JOB_SPEC_ARRAY_TOO_LARGE",
    "array has {tasks} tasks: expected at most {max} (max_array_tasks)"};

inline constexpr TextTemplate kArrayIndexTooLarge{
    "JOB_SPEC_ARRAY_INDEX_TOO_LARGE",
    "array has index {index}: Slurm accepts indices below {max} "
    "(MaxArraySize)"};

inline constexpr TextTemplate kFilePathInvalid{
    "JOB_SPEC_FILE_PATH_INVALID",
    "{field} is not a valid file path: expected at most {max} bytes"};

inline constexpr TextTemplate kPlaceholderUnknown{
    "JOB_SPEC_PLACEHOLDER_UNKNOWN",
    "{field} has an unknown placeholder: expected %j, %A, %% or, in an array, "
    "%a"};

inline constexpr TextTemplate kFileSharedByTasks{
    "JOB_SPEC_FILE_SHARED_BY_TASKS",
    "{field} names the same file for all tasks of the array: it must contain "
    "%a or %j"};

inline constexpr TextTemplate kTooManyDependencies{
    "JOB_SPEC_TOO_MANY_DEPENDENCIES",
    "job waits for {found} others: expected at most {max}"};

inline constexpr TextTemplate kDependencyUnknown{
    "JOB_SPEC_DEPENDENCY_UNKNOWN",
    "you have no job \"{job}\" that waits, runs or has just ended"};

inline constexpr TextTemplate kDependencyNotAccepted{
    "JOB_SPEC_DEPENDENCY_NOT_ACCEPTED",
    "Slurm has not accepted job \"{job}\" yet: try again in a moment"};

inline constexpr TextTemplate kNotifyEventUnknown{
    "JOB_SPEC_NOTIFY_EVENT_UNKNOWN",
    "notify has {event}, which is not a known event"};

inline constexpr TextTemplate kVettingNotAllowed{
    "JOB_SPEC_VETTING_NOT_ALLOWED",
    "nodes are not vetted for a job that adds nodes to another job or builds "
    "an image"};

inline constexpr TextTemplate kRequiredNodesInvalid{
    "JOB_SPEC_REQUIRED_NODES_INVALID",
    "{found} healthy nodes are required: expected 1 to {nodes}, the job's "
    "nodes"};

inline constexpr TextTemplate kArrayNotResubmitted{
    "JOB_SPEC_ARRAY_NOT_RESUBMITTED",
    "an array is not submitted again when vetting finds nodes that are not "
    "healthy"};

inline constexpr TextTemplate kTooManyExcludedNodes{
    "JOB_SPEC_TOO_MANY_EXCLUDED_NODES",
    "{found} nodes are excluded: expected at most {max}"};

inline constexpr TextTemplate kExcludedNodeInvalid{
    "JOB_SPEC_EXCLUDED_NODE_INVALID",
    "excluded node \"{node}\" is not a valid name: expected the name of one "
    "node, without brackets"};

inline constexpr TextTemplate kExcludedNodeRepeated{
    "JOB_SPEC_EXCLUDED_NODE_REPEATED", "node \"{node}\" is excluded twice"};

inline constexpr TextTemplate kExcludedNodeUnknown{
    "JOB_SPEC_EXCLUDED_NODE_UNKNOWN",
    "excluded node \"{node}\" does not exist on this cluster"};

inline constexpr TextTemplate kTooManyStagedItems{
    "JOB_SPEC_TOO_MANY_STAGED_ITEMS",
    "{found} items to copy: expected at most {max}"};

inline constexpr TextTemplate kStagedPathInvalid{
    "JOB_SPEC_STAGED_PATH_INVALID",
    "a path is empty, longer than {max} bytes or contains a non-printable "
    "character"};

inline constexpr TextTemplate kStagedPathOutsideScratch{
    "JOB_SPEC_STAGED_PATH_OUTSIDE_SCRATCH",
    "\"{path}\" is not in the job's scratch: expected a relative path without "
    "\"..\""};

inline constexpr TextTemplate kJoinedJobUnknown{
    "JOB_SPEC_JOINED_JOB_UNKNOWN",
    "you have no such running job to add nodes to"};

inline constexpr TextTemplate kJoinedJobAddsNodes{
    "JOB_SPEC_JOINED_JOB_ADDS_NODES",
    "the job itself adds nodes to another job: add nodes to that job"};

inline constexpr TextTemplate kJoinedJobIsBatch{
    "JOB_SPEC_JOINED_JOB_IS_BATCH",
    "nodes cannot be added to a batch job: expected a job with an app"};

inline constexpr TextTemplate kJoinedJobNotReady{
    "JOB_SPEC_JOINED_JOB_NOT_READY",
    "the job is not ready yet: wait until its app responds"};

inline constexpr TextTemplate kJoinedJobHasRequest{
    "JOB_SPEC_JOINED_JOB_HAS_REQUEST",
    "another request to add nodes is still pending for this job"};

inline constexpr TextTemplate kArrayWithResults{
    "JOB_SPEC_ARRAY_WITH_RESULTS",
    "array jobs cannot copy results back: let each task write its results to "
    "their destination"};

inline constexpr TextTemplate kCommandRequired{
    "JOB_SPEC_COMMAND_REQUIRED", "a command or a script is required"};

inline constexpr TextTemplate kCommandAndScript{
    "JOB_SPEC_COMMAND_AND_SCRIPT", "only one of command and script is allowed"};

inline constexpr TextTemplate kScriptPathInvalid{
    "JOB_SPEC_SCRIPT_PATH_INVALID",
    "script is not a valid path: it must begin with \"/\" or \"~/\""};

inline constexpr TextTemplate kArgumentsWithoutScript{
    "JOB_SPEC_ARGUMENTS_WITHOUT_SCRIPT",
    "arguments are only allowed with a script"};

inline constexpr TextTemplate kWorkingDirectoryInvalid{
    "JOB_SPEC_WORKING_DIRECTORY_INVALID",
    "working directory is not a valid path: it must begin with \"/\" or "
    "\"~/\""};

inline constexpr TextTemplate kDependencyKindInvalid{
    "JOB_SPEC_DEPENDENCY_KIND_INVALID",
    "a dependency has no valid kind: expected end, success, failure or start"};

inline constexpr TextTemplate kNotifyNotAllowed{
    "JOB_SPEC_NOTIFY_NOT_ALLOWED",
    "notify is not allowed when nodes are added to a job or an image is built"};

inline constexpr TextTemplate kNotifyEventRepeated{
    "JOB_SPEC_NOTIFY_EVENT_REPEATED", "notify contains an event twice"};

inline constexpr TextTemplate kStartTimeWithAdditionalNodes{
    "JOB_SPEC_START_TIME_WITH_ADDITIONAL_NODES",
    "startAt is not allowed when nodes are added to a job"};

inline constexpr TextTemplate kStartTimeWithImage{
    "JOB_SPEC_START_TIME_WITH_IMAGE",
    "startAt is not allowed for a job that builds an image"};

inline constexpr TextTemplate kStartTimePassed{"JOB_SPEC_START_TIME_PASSED",
                                               "startAt must be in the future"};

inline constexpr TextTemplate kStartTimeTooFar{
    "JOB_SPEC_START_TIME_TOO_FAR", "startAt must be at most 366 days ahead"};

}  // namespace carme::backend::policy_check_messages

#endif  // CARME_BACKEND_POLICY_CHECKS_MESSAGES_H_
