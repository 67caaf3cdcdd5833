// Enters an environment from outside by its namespaces.
#ifndef CARME_SLURM_HOOKS_JOIN_ENTRY_H_
#define CARME_SLURM_HOOKS_JOIN_ENTRY_H_

#include <vector>

#include "absl/status/status.h"
#include "common/unique_fd.h"

namespace carme::node {

// `namespaces`: descriptors of the user, mount, pid and IPC namespaces and of
// the root directory, or empty. Afterwards this process has the files of the
// environment, and its children the process ids. No capability is left: the
// next exec has only the user's rights. The process must have one thread.
// PERMISSION_DENIED: the environment of another user.
absl::Status EnterEnvironment(const std::vector<UniqueFd>& namespaces);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_JOIN_ENTRY_H_
