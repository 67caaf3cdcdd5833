// The messages about a job's fields (common/message.h).
#ifndef CARME_BACKEND_POLICY_CHECKS_MESSAGES_H_
#define CARME_BACKEND_POLICY_CHECKS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_check_messages {

inline constexpr MessageTemplate kFieldOfJoinedJob{
    "{field} must be that of the job to which nodes are added, \"{expected}\""};

inline constexpr MessageTemplate kFieldWithAdditionalNodes{
    "{field} is not allowed when nodes are added to a job"};

inline constexpr MessageTemplate kWalltimeAboveJoinedJob{
    "walltime is {walltime} min: the job that it joins has {left} min left"};

inline constexpr MessageTemplate kFieldOfBatchJob{
    "{field} is not allowed for a batch job"};

inline constexpr MessageTemplate kCommandTooLong{
    "command has {bytes} bytes: expected at most {max}, without NUL bytes"};

inline constexpr MessageTemplate kTooManyArguments{
    "script has {arguments} arguments of {bytes} bytes: expected at most {max} "
    "of {max_bytes} bytes in total, without NUL bytes"};

inline constexpr MessageTemplate kArrayInvalid{"array \"{array}\" {problem}"};

inline constexpr MessageTemplate kArrayTooLarge{
    "array has {tasks} tasks: expected at most {max} (max_array_tasks)"};

inline constexpr MessageTemplate kArrayIndexTooLarge{
    "array has index {index}: Slurm accepts indices below {max} "
    "(MaxArraySize)"};

inline constexpr MessageTemplate kFilePathInvalid{
    "{field} is not a valid file path: expected at most {max} bytes"};

inline constexpr MessageTemplate kPlaceholderUnknown{
    "{field} has an unknown placeholder: expected %j, %A, %% or, in an array, "
    "%a"};

inline constexpr MessageTemplate kFileSharedByTasks{
    "{field} names the same file for all tasks of the array: it must contain "
    "%a or %j"};

inline constexpr MessageTemplate kTooManyDependencies{
    "job waits for {found} others: expected at most {max}"};

inline constexpr MessageTemplate kDependencyUnknown{
    "you have no job \"{job}\" that waits, runs or has just ended"};

inline constexpr MessageTemplate kDependencyNotAccepted{
    "Slurm has not accepted job \"{job}\" yet: try again in a moment"};

inline constexpr MessageTemplate kNotifyEventUnknown{
    "notify has {event}, which is not a known event"};

inline constexpr MessageTemplate kVettingNotAllowed{
    "nodes are not vetted for a job that adds nodes to another job or builds "
    "an image"};

inline constexpr MessageTemplate kRequiredNodesInvalid{
    "{found} healthy nodes are required: expected 1 to {nodes}, the job's "
    "nodes"};

inline constexpr MessageTemplate kTooManyStagedItems{
    "{found} items to copy: expected at most {max}"};

inline constexpr MessageTemplate kStagedPathInvalid{
    "a path is empty, longer than {max} bytes or contains a non-printable "
    "character"};

inline constexpr MessageTemplate kStagedPathOutsideScratch{
    "\"{path}\" is not in the job's scratch: expected a relative path without "
    "\"..\""};

inline constexpr MessageTemplate kJoinedJobUnknown{
    "you have no such running job to add nodes to"};

inline constexpr MessageTemplate kJoinedJobAddsNodes{
    "the job itself adds nodes to another job: add nodes to that job"};

inline constexpr MessageTemplate kJoinedJobIsBatch{
    "nodes cannot be added to a batch job: expected a job with an app"};

inline constexpr MessageTemplate kJoinedJobNotReady{
    "the job is not ready yet: wait until its app responds"};

inline constexpr MessageTemplate kJoinedJobHasRequest{
    "another request to add nodes is still pending for this job"};

inline constexpr MessageTemplate kArrayWithResults{
    "array jobs cannot copy results back: let each task write its results to "
    "their destination"};

inline constexpr MessageTemplate kCommandRequired{
    "a command or a script is required"};

inline constexpr MessageTemplate kCommandAndScript{
    "only one of command and script is allowed"};

inline constexpr MessageTemplate kScriptPathInvalid{
    "script is not a valid path: it must begin with \"/\" or \"~/\""};

inline constexpr MessageTemplate kArgumentsWithoutScript{
    "arguments are only allowed with a script"};

inline constexpr MessageTemplate kWorkingDirectoryInvalid{
    "working directory is not a valid path: it must begin with \"/\" or "
    "\"~/\""};

inline constexpr MessageTemplate kDependencyKindInvalid{
    "a dependency has no valid kind: expected end, success, failure or start"};

inline constexpr MessageTemplate kNotifyNotAllowed{
    "notify is not allowed when nodes are added to a job or an image is built"};

inline constexpr MessageTemplate kNotifyEventRepeated{
    "notify contains an event twice"};

inline constexpr MessageTemplate kStartTimeWithAdditionalNodes{
    "startAt is not allowed when nodes are added to a job"};

inline constexpr MessageTemplate kStartTimeWithImage{
    "startAt is not allowed for a job that builds an image"};

inline constexpr MessageTemplate kStartTimePassed{
    "startAt must be in the future"};

inline constexpr MessageTemplate kStartTimeTooFar{
    "startAt must be at most 366 days ahead"};

}  // namespace carme::backend::policy_check_messages

#endif  // CARME_BACKEND_POLICY_CHECKS_MESSAGES_H_
