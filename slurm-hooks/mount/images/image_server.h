// Serves an image of a user, which the kernel must not parse: an unprivileged
// process reads it and serves the file system by FUSE.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_IMAGE_SERVER_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_IMAGE_SERVER_H_

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/system/child_work.h"
#include "slurm-hooks/mount/system/user.h"

namespace carme::mount {

struct ServedImage {
  UniqueFd tree;     // its file system, read-only, not attached anywhere
  pid_t server = 0;  // exits when the tree is no longer used
};

// Starts the server of an open file. `home` is a mount namespace other than the
// caller's, for the server to live in. Only processes that are entirely the
// user's can access the files: the kernel rejects root's, so the server cannot
// block them. INVALID_ARGUMENT and others: the image cannot be read. Does not
// access the file itself.
absl::StatusOr<ServedImage> ServeImage(int image, int home, const User& user,
                                       const Deadline& deadline);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_IMAGE_SERVER_H_
