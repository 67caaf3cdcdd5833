// Attaches a file as a block device, which is detached with its last user.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_LOOP_DEVICE_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_LOOP_DEVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/images/squashfs_image.h"

namespace carme::mount {

struct LoopDevice {
  UniqueFd fd;       // the device is released when this and its mounts close
  std::string path;  // in `directory`, to be removed by the caller
};

// Attaches a part of the file read-only. Creates the device node in
// `directory`, which belongs to the caller: /dev may lack it. UNAVAILABLE:
// other processes took each free device first.
absl::StatusOr<LoopDevice> MakeLoopDevice(int file, SquashfsExtent extent,
                                          const std::string& directory);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_LOOP_DEVICE_H_
