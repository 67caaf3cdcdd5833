// The root of an environment: an overlay of the image and a writable layer in
// memory.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_LAYERS_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_LAYERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/system/child_work.h"
#include "slurm-hooks/mount/system/user.h"

namespace carme::mount {

// The directory where an environment is assembled: a tmpfs in this namespace,
// an empty directory on the node.
inline constexpr char kWork[] = "/run/carme/env";
std::string WorkPath(absl::string_view name);

// Mounts the tmpfs at kWork and creates the directories for layers. The image
// belongs at WorkPath("lower"). Memory of the tmpfs counts towards the job.
absl::Status MountWorkDirectory(const User& user);

// FAILED_PRECONDITION if the user may not list and search `directory`. Blocks
// for its file system until the deadline.
absl::Status CheckUserMayRead(int directory, const User& user,
                              const Deadline& deadline);

enum class LowerLayer {
  kFileSystem,  // an image file: readable by the user as a whole
  // a directory of the node: permissions are checked for each access
  kDirectory,
};

// Mounts the overlay over WorkPath("lower") and returns its root. Blocks for
// the image's file system until the deadline.
absl::StatusOr<UniqueFd> MountLayers(LowerLayer lower, const User& user,
                                     const Deadline& deadline);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_LAYERS_H_
