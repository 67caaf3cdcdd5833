// Where in a file its squashfs is: a squashfs itself, or a SIF image of
// Apptainer's, which has its root file system in a partition.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_IMAGE_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_IMAGE_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace carme::mount {

struct SquashfsExtent {
  uint64_t offset = 0;  // bytes
  uint64_t size = 0;
};

// Reads little and nothing twice; the file may hold anything.
// INVALID_ARGUMENT: neither of the two, encrypted, or with no primary
// partition; the extent always lies in the file.
absl::StatusOr<SquashfsExtent> FindSquashfs(int fd);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_SQUASHFS_IMAGE_H_
