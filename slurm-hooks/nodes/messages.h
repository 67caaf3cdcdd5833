// What the agents report about the nodes of a job.
#ifndef CARME_SLURM_HOOKS_NODES_MESSAGES_H_
#define CARME_SLURM_HOOKS_NODES_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::node::node_messages {

inline constexpr ErrorTemplate kHostKeyMissing{
    absl::StatusCode::kInvalidArgument, "NODES_HOST_KEY_MISSING",
    "missing host key of a linked job"};

inline constexpr ErrorTemplate kOwnJobMissing{
    absl::StatusCode::kInvalidArgument, "NODES_OWN_JOB_MISSING",
    "the list of linked jobs does not contain this job"};

inline constexpr ErrorTemplate kNodeTwice{absl::StatusCode::kInvalidArgument,
                                          "NODES_NODE_TWICE",
                                          "node \"{node}\" is listed twice"};

inline constexpr ErrorTemplate kNotOwnNode{
    absl::StatusCode::kInvalidArgument, "NODES_NOT_OWN_NODE",
    "the list of the job's nodes does not contain \"{node}\""};

inline constexpr ErrorTemplate kNoNodes{
    absl::StatusCode::kInvalidArgument, "NODES_NO_NODES",
    "list of nodes is empty: expected one or more"};

inline constexpr ErrorTemplate kNodeInvalid{
    absl::StatusCode::kInvalidArgument, "NODES_NODE_INVALID",
    "node {rank} of the job: expected its rank, a host's name, an address, "
    "numbers and a key"};

inline constexpr ErrorTemplate kLinkedKeyInvalid{
    absl::StatusCode::kInvalidArgument, "NODES_LINKED_KEY_INVALID",
    "key of a linked job: expected a public line of ssh-ed25519"};

}  // namespace carme::node::node_messages

#endif  // CARME_SLURM_HOOKS_NODES_MESSAGES_H_
