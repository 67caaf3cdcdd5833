// Errors of the agent's start.
#ifndef CARME_SLURM_HOOKS_AGENT_MESSAGES_H_
#define CARME_SLURM_HOOKS_AGENT_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::agent::agent_messages {

inline constexpr ErrorTemplate kNotInAJob{
    absl::StatusCode::kFailedPrecondition, "AGENT_NOT_IN_A_JOB",
    "SLURM_JOB_ID is \"{value}\": expected a job: Slurm starts this program"};

}  // namespace carme::agent::agent_messages

#endif  // CARME_SLURM_HOOKS_AGENT_MESSAGES_H_
