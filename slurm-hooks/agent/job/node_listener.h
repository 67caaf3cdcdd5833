// Where the agent listens: on the node's address towards the backend, and on
// the first free port of the configured range.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_NODE_LISTENER_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_NODE_LISTENER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/net/address.h"
#include "common/unique_fd.h"

namespace carme::agent {

// Returns the local address from which packets to `peer` ("host:port") leave,
// without sending any. Blocks for the name look-up. NOT_FOUND: unknown name;
// UNAVAILABLE: no route.
absl::StatusOr<net::Address> LocalAddressTowards(const std::string& peer);

// A bound port that does not listen yet.
struct NodeListener {
  UniqueFd fd;
  uint16_t port = 0;
};

// Tries ports from a random one on, so that jobs that start together rarely
// collide. RESOURCE_EXHAUSTED: all ports of the range are in use.
absl::StatusOr<NodeListener> BindInRange(const net::Address& node,
                                         int port_first, int port_last);
// Starts to accept connections; before, they are refused.
absl::Status Listen(const NodeListener& listener);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_NODE_LISTENER_H_
