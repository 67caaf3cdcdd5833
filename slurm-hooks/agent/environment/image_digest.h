// Verifies the digest of an image.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_DIGEST_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace carme::agent {

// Verifies the digest of `image`. Skips the read if `cache` records that this
// very file (device, inode, size, modification times) had this digest; else
// records it. The cache is the user's own file and protects the user only: a
// process that can write it can do everything else as this user. Blocks, about
// a second per GB. FAILED_PRECONDITION: another digest, with both, or not a
// regular file; NOT_FOUND, PERMISSION_DENIED and others of open(2).
absl::Status CheckImageDigest(const std::string& image,
                              const std::string& sha256,
                              const std::string& cache);

// Copies an image that another user could change after the check to `target`,
// which only this user can change, and verifies the copy. Errors as above, and
// no space. Copies only `size` bytes, and fails if the size differs: the file
// could have grown beyond the disk.
absl::Status CopyCheckedImage(const std::string& image, int64_t size,
                              const std::string& sha256,
                              const std::string& target);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_DIGEST_H_
