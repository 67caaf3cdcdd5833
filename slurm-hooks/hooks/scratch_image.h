// Limits the size of a job's scratch directory: the job gets its own file
// system, in a file whose space is allocated on the node's disk in advance,
// mounted on the directory. A job can neither fill the disk nor use space of
// others, whatever file system the disk has.
//
// The file belongs to root and is next to the directory, where only root can
// write. The user changes files in the file system, never its raw data.
#ifndef CARME_SLURM_HOOKS_HOOKS_SCRATCH_IMAGE_H_
#define CARME_SLURM_HOOKS_HOOKS_SCRATCH_IMAGE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Mounts a new file system of `gib` GiB on the existing empty directory `name`
// in `jobs`; its root directory belongs to root. RESOURCE_EXHAUSTED: not enough
// disk space. A failure is rolled back. Only root may be able to write `jobs`;
// SIGCHLD must be blocked.
absl::Status MountScratchImage(int jobs, const std::string& name, int gib,
                               absl::Time deadline);

// Removes it; OK if there is none. The directory is free at once, and processes
// that are still in the file system can no longer write. The space is freed a
// little later (scratch_trash.h); MountScratchImage waits for it if needed.
absl::Status RemoveScratchImage(int jobs, const std::string& name);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_SCRATCH_IMAGE_H_
