// What srun prints inside a job.
#ifndef CARME_SLURM_HOOKS_SRUN_MESSAGES_H_
#define CARME_SLURM_HOOKS_SRUN_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::node::srun_messages {

inline constexpr ErrorTemplate kNotInAJob{
    absl::StatusCode::kFailedPrecondition, "SRUN_NOT_IN_A_JOB",
    "CARME_ENV is not set: expected a job of Carme's"};

inline constexpr ErrorTemplate kAgentGone{
    absl::StatusCode::kUnavailable, "SRUN_AGENT_GONE",
    "the agent of the job closed the connection"};

inline constexpr ErrorTemplate kProgramMissing{
    absl::StatusCode::kInvalidArgument, "SRUN_PROGRAM_MISSING",
    "expected a program for srun to start"};

inline constexpr ErrorTemplate kValueUnexpected{
    absl::StatusCode::kInvalidArgument, "SRUN_VALUE_UNEXPECTED",
    "option \"{option}\": expected no value"};

inline constexpr ErrorTemplate kValueMissing{
    absl::StatusCode::kInvalidArgument, "SRUN_VALUE_MISSING",
    "option \"{option}\": expected a value"};

inline constexpr ErrorTemplate kNodeFile{
    absl::StatusCode::kInvalidArgument, "SRUN_NODE_FILE",
    "option \"{option}\": expected names of nodes, not a file"};

inline constexpr ErrorTemplate kOptionUnavailable{
    absl::StatusCode::kInvalidArgument, "SRUN_OPTION_UNAVAILABLE",
    "option \"{option}\" is not available inside a job\navailable options: "
    "{options}"};

inline constexpr ErrorTemplate kOptionUnavailableHint{
    absl::StatusCode::kInvalidArgument, "SRUN_OPTION_UNAVAILABLE_HINT",
    "option \"{option}\" is not available inside a job\n{hint}\navailable "
    "options: {options}"};

inline constexpr MessageTemplate kHintEnvironment{
    "for a step in another environment call srun --overlap --jobid=ID "
    "--environment=NAME on a login node"};

inline constexpr MessageTemplate kHintOtherJob{
    "a step runs on the nodes of its own job"};

inline constexpr MessageTemplate kHintNodes{
    "the job has its nodes already: add nodes to it, or start another job, in "
    "the portal"};

inline constexpr MessageTemplate kHintStreams{
    "redirect the streams in the shell: srun … > FILE"};

inline constexpr MessageTemplate kHintExport{
    "tasks get the variables of the calling shell"};

}  // namespace carme::node::srun_messages

#endif  // CARME_SLURM_HOOKS_SRUN_MESSAGES_H_
