// The root of an environment: an overlay of the image and a layer of the step's
// own in memory.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_LAYERS_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_LAYERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/system/child_work.h"
#include "slurm-hooks/mount/system/user.h"

namespace carme::mount {

// The directory in which an environment is put together: a tmpfs in this
// namespace, an empty directory on the node.
inline constexpr char kWork[] = "/run/carme/env";
std::string WorkPath(absl::string_view name);

// Mounts the tmpfs at kWork with the directories that layers need. The image
// belongs at WorkPath("lower"). Memory in the tmpfs counts as the job's.
absl::Status MountWorkDirectory(const User& user);

// FAILED_PRECONDITION unless the user may list and search `directory`. Blocks
// as its file system does, up to the deadline.
absl::Status CheckUserMayRead(int directory, const User& user,
                              const Deadline& deadline);

enum class LowerLayer {
  kFileSystem,  // an image file: the user may read all of it
  kDirectory,   // a directory of the node: permissions apply at each access
};

// Mounts the overlay over WorkPath("lower") and returns its root. Blocks as the
// image's file system does, up to the deadline.
absl::StatusOr<UniqueFd> MountLayers(LowerLayer lower, const User& user,
                                     const Deadline& deadline);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_LAYERS_H_
