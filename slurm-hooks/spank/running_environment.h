// Finds an environment that is already running on a node, so that a later step
// of the job can join it.
//
// Does not use Abseil, like submit_side.h.
#ifndef CARME_SLURM_HOOKS_SPANK_RUNNING_ENVIRONMENT_H_
#define CARME_SLURM_HOOKS_SPANK_RUNNING_ENVIRONMENT_H_

#include <string>

#include "slurm-hooks/spank/node_side.h"

namespace carme {

// Contains the path of a file, the same on all nodes of the step, with the
// process id of a process in the environment.
inline constexpr char kJoinVariable[] = "CARME_JOIN_ENVIRONMENT";

// Returns the environment of the process that `file` names, or a refusal. This
// process must already be the user's, so that the file and the process are
// accessed with the user's rights. Only mounts made by root are accepted: in a
// user namespace, its owner could replace any system file.
MadeEnvironment FindEnvironment(const std::string& file);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_RUNNING_ENVIRONMENT_H_
