// Encodes and decodes the requests and events of node_agent.proto, which travel
// over the standard streams of srun.
#ifndef CARME_SLURM_HOOKS_NODES_NODE_AGENT_MESSAGES_H_
#define CARME_SLURM_HOOKS_NODES_NODE_AGENT_MESSAGES_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "carme/node/v1/node_agent.pb.h"

namespace carme::node {

std::string FrameOf(const v1::NodeAgentRequest& request);

// Removes the first complete request from `bytes`; returns nullopt if it is
// incomplete. INVALID_ARGUMENT: malformed or too long.
absl::StatusOr<std::optional<v1::NodeAgentRequest>> TakeRequest(
    std::string* bytes);

// Returns the event as one line with its newline.
std::string LineOf(const v1::NodeAgentEvent& event);

// Removes the first complete line from `text`; returns nullopt if there is
// none. Lines that are not events, such as messages of srun, are skipped.
// INVALID_ARGUMENT: a line that is too long.
absl::StatusOr<std::optional<v1::NodeAgentEvent>> TakeEvent(std::string* text);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_NODE_AGENT_MESSAGES_H_
