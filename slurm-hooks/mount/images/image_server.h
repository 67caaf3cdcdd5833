// An image of the user's, which the kernel must not parse: a process with no
// rights reads it, and the kernel asks that process (FUSE).
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_IMAGE_SERVER_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_IMAGE_SERVER_H_

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/system/child_work.h"
#include "slurm-hooks/mount/system/user.h"

namespace carme::mount {

struct ServedImage {
  UniqueFd tree;     // its file system, read-only, attached nowhere yet
  pid_t server = 0;  // ends when nothing of the tree is left
};

// Starts the server of an open file, with the mount namespace `home`, not the
// caller's, to live in. Only processes that are wholly the user's reach the
// files: root's the kernel refuses, so none can be made to wait.
// INVALID_ARGUMENT and others say why it cannot be read. Does not touch the
// file itself.
absl::StatusOr<ServedImage> ServeImage(int image, int home, const User& user,
                                       const Deadline& deadline);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_IMAGE_SERVER_H_
