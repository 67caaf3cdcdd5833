// Which images the kernel may mount. Its file systems are not written for
// hostile contents, so nobody but the site may have a hand in the file.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_TRUSTED_IMAGE_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_TRUSTED_IMAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace carme::mount {

// Whether the open file's path begins with one of the directories. Asks no file
// system, so a user's cannot make the caller wait. An error is no.
bool IsInFolder(int fd, const std::vector<std::string>& directories);

// Whether the open file lies below one of the directories, and only the site
// can write to it or put another in its place: from "/" on there is no link;
// every directory down to the listed one is root's, except that the listed one
// may be a service account's; what is below has the same owner as the listed
// one; nothing is writable by group or others. PERMISSION_DENIED says which
// condition fails.
absl::Status CheckTrusted(int fd, const std::vector<std::string>& directories);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_TRUSTED_IMAGE_H_
