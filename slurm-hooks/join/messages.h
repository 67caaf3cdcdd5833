// What a task of a step prints when it cannot enter the environment.
#ifndef CARME_SLURM_HOOKS_JOIN_MESSAGES_H_
#define CARME_SLURM_HOOKS_JOIN_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::node::join_messages {

inline constexpr ErrorTemplate kNamespacesExpected{
    absl::StatusCode::kInvalidArgument, "JOIN_NAMESPACES_EXPECTED",
    "{found} descriptors of the environment: expected 0 or {expected}"};

inline constexpr ErrorTemplate kContextInvalid{
    absl::StatusCode::kFailedPrecondition, "JOIN_CONTEXT_INVALID",
    "{variable} is invalid: this program must be started by the agent of a "
    "job"};

inline constexpr ErrorTemplate kAgentGone{
    absl::StatusCode::kUnavailable, "JOIN_AGENT_GONE",
    "the agent of this node closed the connection"};

inline constexpr ErrorTemplate kUsage{absl::StatusCode::kInvalidArgument,
                                      "JOIN_USAGE", "expected SOCKET PROGRAM…"};

}  // namespace carme::node::join_messages

#endif  // CARME_SLURM_HOOKS_JOIN_MESSAGES_H_
