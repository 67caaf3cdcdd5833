// Whether an image is still the one that was recorded.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_DIGEST_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace carme::agent {

// Reads the image unless `cache` says that this very file (device, inode, size,
// times of change) had this digest before; writes it down there. The cache is
// the user's own file, for the user's own protection: whoever can write it can
// do everything else as this user too. Blocks, about a second a GB.
// FAILED_PRECONDITION: another digest, found and expected, or no regular file;
// NOT_FOUND, PERMISSION_DENIED and others of open(2).
absl::Status CheckImageDigest(const std::string& image,
                              const std::string& sha256,
                              const std::string& cache);

// Copies an image, which somebody else could change after the check, to
// `target`, which nobody else can, and checks the copy. As above; also: no
// room. One that is not of `size` bytes any more is not copied, and no more
// than those: it could have become larger than the disk.
absl::Status CopyCheckedImage(const std::string& image, int64_t size,
                              const std::string& sha256,
                              const std::string& target);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_DIGEST_H_
