// Where the agent may listen: the node's address as the backend sees it, and
// the first free port of the configured range.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_NODE_LISTENER_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_NODE_LISTENER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/net/address.h"
#include "common/unique_fd.h"

namespace carme::agent {

// The local address from which packets to `peer` ("host:port") leave, found
// without sending any. Blocks while the name is looked up. NOT_FOUND: the name
// is unknown; UNAVAILABLE: no route.
absl::StatusOr<net::Address> LocalAddressTowards(const std::string& peer);

// A port that is taken, on which nobody listens yet.
struct NodeListener {
  UniqueFd fd;
  uint16_t port = 0;
};

// Begins at a random port of the range, so that jobs that start together do
// not meet. RESOURCE_EXHAUSTED: every port of the range is taken.
absl::StatusOr<NodeListener> BindInRange(const net::Address& node,
                                         int port_first, int port_last);
// From now on connections are taken; before, they are refused.
absl::Status Listen(const NodeListener& listener);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_NODE_LISTENER_H_
