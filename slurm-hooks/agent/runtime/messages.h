// What the agent reports about a job's apps, script and copies. Errors become
// the reason on the job's card.
#ifndef CARME_SLURM_HOOKS_AGENT_RUNTIME_MESSAGES_H_
#define CARME_SLURM_HOOKS_AGENT_RUNTIME_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::agent::agent_runtime_messages {

inline constexpr ErrorTemplate kNoApp{absl::StatusCode::kNotFound,
                                      "AGENT_RUNTIME_NO_APP",
                                      "the job has no app \"{app}\""};

inline constexpr ErrorTemplate kAppDoesNotRespond{
    absl::StatusCode::kDeadlineExceeded, "AGENT_RUNTIME_APP_DOES_NOT_RESPOND",
    "app \"{app}\" does not respond yet"};

inline constexpr ErrorTemplate kScriptNotAFile{
    absl::StatusCode::kFailedPrecondition, "AGENT_RUNTIME_SCRIPT_NOT_A_FILE",
    "{subject} is not a regular file"};

inline constexpr ErrorTemplate kScriptTooLong{
    absl::StatusCode::kFailedPrecondition, "AGENT_RUNTIME_SCRIPT_TOO_LONG",
    "{subject}: has more than {max} bytes: expected less"};

inline constexpr ErrorTemplate kScriptWithoutInterpreter{
    absl::StatusCode::kFailedPrecondition,
    "AGENT_RUNTIME_SCRIPT_WITHOUT_INTERPRETER",
    "script \"{path}\" does not say what runs it: expected a first line "
    "\"#!/…\""};

inline constexpr ErrorTemplate kEnvironmentNotStarted{
    absl::StatusCode::kDeadlineExceeded,
    "AGENT_RUNTIME_ENVIRONMENT_NOT_STARTED",
    "the environment has not started yet on every node"};

inline constexpr ErrorTemplate kNoScratchForCopies{
    absl::StatusCode::kFailedPrecondition,
    "AGENT_RUNTIME_NO_SCRATCH_FOR_COPIES",
    "cannot copy data: this node has no scratch directory for jobs"};

inline constexpr MessageTemplate kAppEnded{
    "the app ended with exit code {exit_code}"};

inline constexpr MessageTemplate kAppEndedBySignal{
    "the app was ended by signal {signal} ({name})"};

inline constexpr MessageTemplate kAppNotExecutable{
    "\"{path}\" is not executable"};

inline constexpr MessageTemplate kAppNotInstalled{"\"{path}\" does not exist"};

inline constexpr MessageTemplate kAppStopped{"stopped"};

inline constexpr MessageTemplate kCountingFiles{"counting files{remark}"};

inline constexpr MessageTemplate kEnded{"ended with exit code {exit_code}"};

inline constexpr MessageTemplate kHomeNotWritable{
    "home directory \"{directory}\" is not writable"};

inline constexpr MessageTemplate kLinkedJobEnded{
    "the job that it was linked to has ended"};

inline constexpr MessageTemplate kLinkedNodesMissing{
    "the nodes of the linked job did not connect within 5 min"};

inline constexpr MessageTemplate kOutputIncomplete{
    "its output is incomplete: {cause}"};

}  // namespace carme::agent::agent_runtime_messages

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_MESSAGES_H_
