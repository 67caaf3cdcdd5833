// The empty file system that a job's scratch begins as. It is made once for
// each size, in a sparse file beside the jobs' directories, and copied from
// there: a few hundred KiB instead of a program that looks, writes and waits
// for the disk.
#ifndef CARME_SLURM_HOOKS_HOOKS_SCRATCH_TEMPLATE_H_
#define CARME_SLURM_HOOKS_HOOKS_SCRATCH_TEMPLATE_H_

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Makes `image`, a file of `gib` GiB that reads as zeros, an empty ext4, by
// the template in `jobs`, which is made where it is missing. No block of the
// file that was taken from the disk is given back. DEADLINE_EXCEEDED, INTERNAL.
// REQUIRES: only root can write `jobs`; SIGCHLD is blocked.
absl::Status WriteEmptyFileSystem(int jobs, int image, int gib,
                                  absl::Time deadline);

// For one that turned out to be of no use: the next call makes it anew.
void RemoveTemplate(int jobs, int gib);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_SCRATCH_TEMPLATE_H_
