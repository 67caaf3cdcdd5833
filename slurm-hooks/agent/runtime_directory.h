// The job's runtime directory, where the app's unix socket lies. The Prolog
// makes it; the agent only looks whether it is what it must be, because its
// mode is the one wall between the app and other users of the node.
#ifndef CARME_SLURM_HOOKS_AGENT_RUNTIME_DIRECTORY_H_
#define CARME_SLURM_HOOKS_AGENT_RUNTIME_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::agent {

// The path of `<parent>/<job>`. NOT_FOUND: the Prolog did not make it;
// FAILED_PRECONDITION: a link or a file, not `uid`'s, or not 0700.
absl::StatusOr<std::string> FindRuntimeDirectory(const std::string& parent,
                                                 SlurmJobId job, Uid uid);

// The path of the app's socket in it. INVALID_ARGUMENT: longer than the 107
// characters that a unix socket's address has room for.
absl::StatusOr<std::string> SocketPathIn(const std::string& directory);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_DIRECTORY_H_
