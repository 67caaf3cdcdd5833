// What a node's programs report about each other.
#ifndef CARME_SLURM_HOOKS_PROCESS_MESSAGES_H_
#define CARME_SLURM_HOOKS_PROCESS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::node::process_messages {

inline constexpr ErrorTemplate kRunsAlready{absl::StatusCode::kAlreadyExists,
                                            "PROCESS_RUNS_ALREADY",
                                            "program {program} runs already"};

inline constexpr ErrorTemplate kSocketPath{
    absl::StatusCode::kInvalidArgument, "PROCESS_SOCKET_PATH",
    "socket \"{path}\" has {length} characters: expected 1 to {max}"};

inline constexpr ErrorTemplate kSocketInUse{absl::StatusCode::kAlreadyExists,
                                            "PROCESS_SOCKET_IN_USE",
                                            "{subject}: it is in use"};

}  // namespace carme::node::process_messages

#endif  // CARME_SLURM_HOOKS_PROCESS_MESSAGES_H_
