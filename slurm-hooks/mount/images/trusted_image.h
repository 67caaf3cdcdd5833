// Decides which images the kernel may mount. Kernel file systems are not
// written for malicious content, so only the site may be able to modify such a
// file.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_TRUSTED_IMAGE_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_TRUSTED_IMAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace carme::mount {

// Returns whether the path of the open file begins with one of the directories.
// Accesses no file system, so that a user's cannot block the caller. Returns
// false on error.
bool IsInFolder(int fd, const std::vector<std::string>& directories);

// Checks that the open file is below one of the directories and that only the
// site can modify or replace it: no links from "/" on; each directory down to
// the listed one belongs to root, except that the listed one may belong to a
// service account; everything below has the owner of the listed one; nothing is
// writable by group or others. PERMISSION_DENIED names the violated condition.
absl::Status CheckTrusted(int fd, const std::vector<std::string>& directories);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_TRUSTED_IMAGE_H_
