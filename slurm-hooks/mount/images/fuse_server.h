// Serves the FUSE protocol (linux/fuse.h) for a read-only file system. libfuse
// is not used, because the process runs under a seccomp filter and must not
// open files.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_SERVER_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_SERVER_H_

#include "slurm-hooks/mount/images/fuse_watchdog.h"
#include "slurm-hooks/mount/images/squashfs_tree.h"

namespace carme::mount {

// Answers the requests from `fuse`, an open /dev/fuse, until the file system is
// unmounted. Several threads may call it, each with its own tree. Opens no
// file: it reads only the descriptors of the image and the kernel.
void ServeFuse(int fuse, SquashfsTree* tree, FuseWatchdog::Turns* turns);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_SERVER_H_
