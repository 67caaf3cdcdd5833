// The system calls that mounts are made of, each with a descriptor for what it
// acts on: no path is looked up twice.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_MOUNT_CALLS_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_MOUNT_CALLS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme::mount {

// A mount of its own of what the descriptor names, with all that is mounted
// below it, attached nowhere yet. Always with what is below: without it one
// would see what those mounts cover.
absl::StatusOr<UniqueFd> CloneTree(int fd);

// A new file system, attached nowhere yet. An option without a value is a flag;
// `attributes` are MOUNT_ATTR_…
absl::StatusOr<UniqueFd> NewFileSystem(
    const std::string& type,
    const std::vector<std::pair<std::string, std::string>>& options,
    uint64_t attributes);

// Of the mount and those below it; `propagation` is MS_PRIVATE, MS_SLAVE or 0
// to leave it.
absl::Status SetAttributes(int tree, uint64_t attributes, uint64_t propagation);
// Of that mount alone.
absl::Status SetAttributesOfOne(int mount, uint64_t attributes);

absl::Status Attach(int tree, int target);

// Identifies a mount while it exists.
absl::StatusOr<uint64_t> MountId(int fd);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_MOUNT_CALLS_H_
