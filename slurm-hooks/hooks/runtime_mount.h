// Gives the runtime directory of a job its own small file system: it is in
// /run, which belongs to the whole node, and one job must not fill it.
#ifndef CARME_SLURM_HOOKS_HOOKS_RUNTIME_MOUNT_H_
#define CARME_SLURM_HOOKS_HOOKS_RUNTIME_MOUNT_H_

#include <string>

#include "absl/status/status.h"
#include "common/ids.h"

namespace carme::hooks {

// The path of a name in an open directory, for calls that take no descriptor.
std::string MountPoint(int directory, const std::string& name);

// Mounts a tmpfs of 16 MiB and 4096 files, owned by `user` with mode 0700, on
// the existing empty directory `name` in `jobs`. Only root may be able to write
// `jobs`.
absl::Status MountRuntime(int jobs, const std::string& name, Uid user);

// Unmounts it with its content, even if it is in use; OK if there is none. A
// mount of another kind stays.
absl::Status UnmountRuntime(int jobs, const std::string& name);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_RUNTIME_MOUNT_H_
