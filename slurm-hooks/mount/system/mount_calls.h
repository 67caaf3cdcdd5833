// System calls for mounts. Each uses descriptors, so that no path is resolved
// twice.
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

// Clones the mount of a descriptor with all mounts below it, not attached
// anywhere. Mounts below are always included: otherwise files that they cover
// would become visible.
absl::StatusOr<UniqueFd> CloneTree(int fd);

// Creates a file system, not attached anywhere. An option without a value is a
// flag; `attributes` are MOUNT_ATTR_…
absl::StatusOr<UniqueFd> NewFileSystem(
    const std::string& type,
    const std::vector<std::pair<std::string, std::string>>& options,
    uint64_t attributes);

// Sets attributes of the mount and those below it; `propagation` is MS_PRIVATE,
// MS_SLAVE or 0 for no change.
absl::Status SetAttributes(int tree, uint64_t attributes, uint64_t propagation);
// Sets attributes of this mount only.
absl::Status SetAttributesOfOne(int mount, uint64_t attributes);

absl::Status Attach(int tree, int target);

// Returns the id of a mount, unique while it exists.
absl::StatusOr<uint64_t> MountId(int fd);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_MOUNT_CALLS_H_
