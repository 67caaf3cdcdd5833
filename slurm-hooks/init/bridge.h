// Runs one program in a private network namespace and forwards connections from
// a unix socket to the port on which the program listens there.
#ifndef CARME_SLURM_HOOKS_INIT_BRIDGE_H_
#define CARME_SLURM_HOOKS_INIT_BRIDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::node {

struct BridgePlan {
  std::string socket;  // created with mode 0600, replaces an existing one
  uint16_t port = 0;   // on 127.0.0.1 in the private network
  std::vector<std::string> command;
};

// Runs until the program ends and returns its exit code. Forwards SIGTERM and
// SIGINT to it. The process must have one thread and block SIGTERM, SIGINT and
// SIGCHLD.
absl::StatusOr<int> RunBridge(const BridgePlan& plan);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_INIT_BRIDGE_H_
