// Runs one program in a private network and brings connections of a unix socket
// to the port on which it listens there.
#ifndef CARME_SLURM_HOOKS_INIT_BRIDGE_H_
#define CARME_SLURM_HOOKS_INIT_BRIDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::node {

struct BridgePlan {
  std::string socket;  // made 0600; one that is there is replaced
  uint16_t port = 0;   // of 127.0.0.1 in the private network
  std::vector<std::string> command;
};

// Until the program ends; returns its exit code. SIGTERM and SIGINT are passed
// on to it.
// REQUIRES: the process has one thread; SIGTERM, SIGINT, SIGCHLD are blocked.
absl::StatusOr<int> RunBridge(const BridgePlan& plan);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_INIT_BRIDGE_H_
