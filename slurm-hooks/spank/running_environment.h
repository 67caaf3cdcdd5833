// An environment that is already in use on a node: how a later step of the job
// finds it, to run in the same one.
//
// Without Abseil, as submit_side.h.
#ifndef CARME_SLURM_HOOKS_SPANK_RUNNING_ENVIRONMENT_H_
#define CARME_SLURM_HOOKS_SPANK_RUNNING_ENVIRONMENT_H_

#include <string>

#include "slurm-hooks/spank/node_side.h"

namespace carme {

// Names a file, at the same path on each of the step's nodes, with the process
// id there of somebody in the environment.
inline constexpr char kJoinVariable[] = "CARME_JOIN_ENVIRONMENT";

// The environment of the process that `file` names, with its mounts or a
// refusal. REQUIRES: this process is the user's, so that file and process are
// looked at by the user's rights. Only mounts that root has made are given
// out: in those of a user namespace its user could show any file in the place
// of the system's.
MadeEnvironment FindEnvironment(const std::string& file);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_RUNNING_ENVIRONMENT_H_
