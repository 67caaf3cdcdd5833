// What the agent reports about a job's apps, script and copies. Errors and
// texts become the reason on the job's card, in the language of the page.
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
    "script \"{path}\" is not a regular file"};

inline constexpr ErrorTemplate kScriptTooLong{
    absl::StatusCode::kFailedPrecondition, "AGENT_RUNTIME_SCRIPT_TOO_LONG",
    "script \"{path}\" has more than {max} bytes: expected less"};

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
    "this node has no scratch directory for jobs"};

inline constexpr TextTemplate kAppEnded{
    "AGENT_APP_ENDED", "the app ended with exit code {exit_code}"};

inline constexpr TextTemplate kAppEndedBySignal{
    "AGENT_APP_ENDED_BY_SIGNAL",
    "the app was ended by signal {signal} ({name})"};

inline constexpr TextTemplate kAppNotExecutable{"AGENT_APP_NOT_EXECUTABLE",
                                                "\"{path}\" is not executable"};

inline constexpr TextTemplate kAppNotInstalled{"AGENT_APP_NOT_INSTALLED",
                                               "\"{path}\" does not exist"};

inline constexpr TextTemplate kStopped{"AGENT_STOPPED", "stopped"};

inline constexpr TextTemplate kEnded{"AGENT_ENDED",
                                     "ended with exit code {exit_code}"};

inline constexpr TextTemplate kEndedForResults{
    "AGENT_ENDED_FOR_RESULTS",
    "ended before its time limit so that its results could be copied"};

inline constexpr TextTemplate kHomeNotWritable{
    "AGENT_HOME_NOT_WRITABLE",
    "home directory \"{directory}\" is not writable: {cause}"};

inline constexpr TextTemplate kLinkedJobEnded{
    "AGENT_LINKED_JOB_ENDED", "the job that it was linked to has ended"};

inline constexpr TextTemplate kLinkedNodesMissing{
    "AGENT_LINKED_NODES_MISSING",
    "the nodes of the linked job did not connect within 5 min"};

inline constexpr TextTemplate kOutputIncomplete{
    "AGENT_OUTPUT_INCOMPLETE", "its output is incomplete: {cause}"};

// Copies of a job's data.
inline constexpr TextTemplate kCountingFiles{"AGENT_COUNTING_FILES",
                                             "counting files"};

inline constexpr TextTemplate kStartedEarly{"AGENT_COPY_STARTED_EARLY",
                                            "started before the time limit"};

inline constexpr TextTemplate kCopyingToNode{
    "AGENT_COPYING_TO_NODE", "{copied} of {all} copied to the node"};

inline constexpr TextTemplate kCopyingFromNode{
    "AGENT_COPYING_FROM_NODE", "{copied} of {all} copied from the node"};

inline constexpr TextTemplate kFileCopied{"AGENT_FILE_COPIED",
                                          "1 file, {bytes}, in {time}"};

inline constexpr TextTemplate kFilesCopied{"AGENT_FILES_COPIED",
                                           "{files} files, {bytes}, in {time}"};

inline constexpr TextTemplate kSpecialFilesSkipped{
    "AGENT_SPECIAL_FILES_SKIPPED",
    "{files} devices, sockets or pipes were not copied"};

inline constexpr TextTemplate kNotCopiedToNode{
    "AGENT_NOT_COPIED_TO_NODE", "not copied to the node: {cause}"};

inline constexpr TextTemplate kNotCopiedFromNode{
    "AGENT_NOT_COPIED_FROM_NODE", "not copied from the node: {cause}"};

inline constexpr TextTemplate kResultsNotCopied{
    "AGENT_RESULTS_NOT_COPIED",
    "its results were not copied from the node: {cause}"};

}  // namespace carme::agent::agent_runtime_messages

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_MESSAGES_H_
