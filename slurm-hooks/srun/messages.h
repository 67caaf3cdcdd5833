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

}  // namespace carme::node::srun_messages

#endif  // CARME_SLURM_HOOKS_SRUN_MESSAGES_H_
