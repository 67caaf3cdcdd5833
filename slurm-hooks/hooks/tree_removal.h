// Removes a directory tree as root while its user may still be changing it.
//
// Each directory is opened without following links or crossing mounts, then
// taken from its user (root's, 0700) before it is read: after that nobody else
// can put, rename or replace a name in it. What lies deeper is moved up into
// the locked top first, so two descriptors are enough for any depth.
#ifndef CARME_SLURM_HOOKS_HOOKS_TREE_REMOVAL_H_
#define CARME_SLURM_HOOKS_HOOKS_TREE_REMOVAL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace carme::hooks {

// Removes `name` in the directory `parent`, be it a tree, a file or a link; OK
// when it does not exist. `user` is whose tree it is, beside its owner.
// REQUIRES: only root can write `parent`.
//
// Left in place and named in the error, FAILED_PRECONDITION: mount points, and
// directories of a third user, which may have been moved in.
// DEADLINE_EXCEEDED: the time was not enough; the top stays locked.
absl::Status RemoveTree(int parent, const std::string& name, Uid user,
                        absl::Time deadline);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_TREE_REMOVAL_H_
