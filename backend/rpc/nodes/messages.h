// The messages of the service for the history of nodes.
#ifndef CARME_BACKEND_RPC_NODES_MESSAGES_H_
#define CARME_BACKEND_RPC_NODES_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::backend::rpc_node_messages {

inline constexpr ErrorTemplate kNodeNameInvalid{
    absl::StatusCode::kInvalidArgument, "NODE_NAME_INVALID",
    "node is not a name of Slurm: expected 1 to 64 letters, digits, \"-\", "
    "\"_\" and \".\""};

}  // namespace carme::backend::rpc_node_messages

#endif  // CARME_BACKEND_RPC_NODES_MESSAGES_H_
