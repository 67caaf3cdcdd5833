// A file as a block device, which goes with its last user.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_LOOP_DEVICE_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_LOOP_DEVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/images/squashfs_image.h"

namespace carme::mount {

struct LoopDevice {
  UniqueFd fd;       // the device is free again when this and its mounts close
  std::string path;  // in `directory`, removed by the caller
};

// Read-only, of a part of the file. The device's file is made in `directory`,
// which is the caller's own: /dev may have none. UNAVAILABLE: others took each
// free one first.
absl::StatusOr<LoopDevice> MakeLoopDevice(int file, SquashfsExtent extent,
                                          const std::string& directory);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_LOOP_DEVICE_H_
