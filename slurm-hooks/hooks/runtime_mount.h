// A job's runtime directory as a small file system of its own: the one it lies
// in, /run, is all of the node's, and one job must not fill it.
#ifndef CARME_SLURM_HOOKS_HOOKS_RUNTIME_MOUNT_H_
#define CARME_SLURM_HOOKS_HOOKS_RUNTIME_MOUNT_H_

#include <string>

#include "absl/status/status.h"
#include "common/ids.h"

namespace carme::hooks {

// Mounts one of 16 MiB and 4096 files, in memory, `user`'s and 0700, on the
// directory `name` in `jobs`, which is there and empty.
// REQUIRES: only root can write `jobs`.
absl::Status MountRuntime(int jobs, const std::string& name, Uid user);

// Takes it away with what is in it, used or not; OK when there is none. A mount
// of another kind stays.
absl::Status UnmountRuntime(int jobs, const std::string& name);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_RUNTIME_MOUNT_H_
