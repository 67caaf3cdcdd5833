// Into an environment from outside, by its namespaces.
#ifndef CARME_SLURM_HOOKS_STEP_ENTRY_H_
#define CARME_SLURM_HOOKS_STEP_ENTRY_H_

#include <vector>

#include "absl/status/status.h"
#include "common/unique_fd.h"

namespace carme::node {

// `way`: descriptors of its user, mount, process id and IPC namespaces and of
// its root directory, or none. Afterwards this process has the environment's
// files, and its children have its process ids. No right is left over: what is
// executed next has none but the user's.
// REQUIRES: one thread. PERMISSION_DENIED: it is another user's.
absl::Status EnterEnvironment(const std::vector<UniqueFd>& way);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_STEP_ENTRY_H_
