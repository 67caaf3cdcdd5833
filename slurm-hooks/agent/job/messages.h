// What the agent reports about a job's plan and its node.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_MESSAGES_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::agent::agent_job_messages {

inline constexpr ErrorTemplate kLogNotAFile{
    absl::StatusCode::kFailedPrecondition, "AGENT_JOB_LOG_NOT_A_FILE",
    "log \"{path}\" is not a regular file"};

inline constexpr ErrorTemplate kNoJobDirectory{
    absl::StatusCode::kNotFound, "AGENT_JOB_NO_JOB_DIRECTORY",
    "job directory \"{path}\" does not exist: carme's prolog must run on this "
    "node, and the "
    "job must name its feature; see the node's system log"};

inline constexpr ErrorTemplate kJobDirectoryIsNot{
    absl::StatusCode::kFailedPrecondition, "AGENT_JOB_DIRECTORY_IS_NOT",
    "job directory \"{path}\" is a link or a file: expected a directory"};

inline constexpr ErrorTemplate kJobDirectoryOwner{
    absl::StatusCode::kFailedPrecondition, "AGENT_JOB_DIRECTORY_OWNER",
    "job directory \"{path}\" has owner {owner} and mode {mode}: expected "
    "owner {uid} and "
    "mode 0700"};

inline constexpr ErrorTemplate kNoUserName{
    absl::StatusCode::kNotFound, "AGENT_JOB_NO_USER_NAME",
    "uid {uid} has no name on this node"};

inline constexpr ErrorTemplate kInvalidPlan{
    absl::StatusCode::kInvalidArgument, "AGENT_JOB_INVALID_PLAN",
    "the backend's response has an invalid {field}: expected {expected}"};

inline constexpr ErrorTemplate kHostNotFound{absl::StatusCode::kNotFound,
                                             "AGENT_JOB_HOST_NOT_FOUND",
                                             "look up \"{host}\": {cause}"};

inline constexpr ErrorTemplate kNoFreePort{
    absl::StatusCode::kResourceExhausted, "AGENT_JOB_NO_FREE_PORT",
    "no free port from {first} to {last} on {address}: {cause}"};

inline constexpr ErrorTemplate kCommandTooSlow{
    absl::StatusCode::kDeadlineExceeded, "AGENT_JOB_COMMAND_TOO_SLOW",
    "{program} did not end within ten seconds"};

inline constexpr ErrorTemplate kCommandFailed{
    absl::StatusCode::kUnavailable, "AGENT_JOB_COMMAND_FAILED",
    "{program} ended with exit code {exit_code}: {line}"};

// The end of a program, and the last line of its log.
inline constexpr TextTemplate kWithLastLine{"AGENT_WITH_LAST_LINE",
                                            "{end}: {line}"};

}  // namespace carme::agent::agent_job_messages

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_MESSAGES_H_
