// A network with nothing in it but its own loopback, for programs that can
// only listen on TCP: nobody else on the node can reach them there.
#ifndef CARME_SLURM_HOOKS_INIT_PRIVATE_NETWORK_H_
#define CARME_SLURM_HOOKS_INIT_PRIVATE_NETWORK_H_

#include "absl/status/status.h"

namespace carme::node {

// Moves this process into a new one, by means of a user namespace in which the
// user and group stay who they are; other groups cannot be looked up by name
// there but still count for files. PERMISSION_DENIED and others: the kernel
// has user namespaces switched off.
// REQUIRES: the process has one thread.
absl::Status EnterPrivateNetwork();

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_INIT_PRIVATE_NETWORK_H_
