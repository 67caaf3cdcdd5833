// Removes a directory tree as root while its user may still change it.
//
// Each directory is opened without following links or crossing mounts, then
// taken from its user (owner root, mode 0700) before it is read: after that
// only root can create, rename or replace a name in it. Nested directories
// are first moved up into the locked top, so two descriptors suffice for any
// depth.
#ifndef CARME_SLURM_HOOKS_HOOKS_TREE_REMOVAL_H_
#define CARME_SLURM_HOOKS_HOOKS_TREE_REMOVAL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace carme::hooks {

// Removes `name` in the directory `parent`: a tree, a file or a link; OK if it
// does not exist. `user` is the expected owner. Only root may be able to write
// `parent`.
//
// FAILED_PRECONDITION, with the path: mount points, and directories of a third
// user, which may have been moved in; they stay. DEADLINE_EXCEEDED: out of
// time; the top stays locked.
absl::Status RemoveTree(int parent, const std::string& name, Uid user,
                        absl::Time deadline);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_TREE_REMOVAL_H_
