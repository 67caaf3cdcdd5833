// A network namespace with only a loopback interface, for programs that can
// only listen on TCP: other users of the node cannot connect to them.
#ifndef CARME_SLURM_HOOKS_INIT_PRIVATE_NETWORK_H_
#define CARME_SLURM_HOOKS_INIT_PRIVATE_NETWORK_H_

#include "absl/status/status.h"

namespace carme::node {

// Moves this process into a new network namespace, by means of a user namespace
// with the same user and group. Other groups have no names there but still
// apply to files. PERMISSION_DENIED and others: user namespaces are disabled.
// The process must have one thread.
absl::Status EnterPrivateNetwork();

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_INIT_PRIVATE_NETWORK_H_
