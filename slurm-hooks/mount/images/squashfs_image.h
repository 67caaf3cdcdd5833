// Finds the squashfs in a file: the whole file, or the root partition of a SIF
// image of Apptainer.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_IMAGE_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_IMAGE_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace carme::mount {

struct SquashfsExtent {
  uint64_t offset = 0;  // bytes
  uint64_t size = 0;
};

// Reads little, and nothing twice; the file is not trusted. INVALID_ARGUMENT:
// neither of the two, encrypted, or without a primary partition. The result
// always lies inside the file.
absl::StatusOr<SquashfsExtent> FindSquashfs(int fd);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_IMAGE_H_
