// The kernel's questions about a read-only file system in user space, and their
// answers: the protocol of linux/fuse.h.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_SERVER_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_SERVER_H_

#include "slurm-hooks/mount/images/fuse_watchdog.h"
#include "slurm-hooks/mount/images/squashfs_tree.h"

namespace carme::mount {

// Answers the questions that come from `fuse`, an open /dev/fuse, until the
// file system is unmounted. Several threads may, each with a tree of its own.
// Knows no path and opens nothing: it reads the image's and the kernel's
// descriptors.
void ServeFuse(int fuse, SquashfsTree* tree, FuseWatchdog::Turns* turns);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_SERVER_H_
