// A job's scratch directory with a limit: a file system of the job's own, in a
// file whose space is taken from the node's disk beforehand, mounted on the
// directory. So a job can fill neither the disk nor what others have of it,
// whatever file system the disk has.
//
// The file is root's and lies beside the directory, where only root can write;
// what its user changes are files in it, never the file system's own data.
#ifndef CARME_SLURM_HOOKS_HOOKS_SCRATCH_IMAGE_H_
#define CARME_SLURM_HOOKS_HOOKS_SCRATCH_IMAGE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Mounts a new file system of `gib` GiB on the directory `name` in `jobs`,
// which is there and empty; its root belongs to root then. RESOURCE_EXHAUSTED:
// the disk has no room. What was begun is undone on failure.
// REQUIRES: only root can write `jobs`; SIGCHLD is blocked.
absl::Status MountScratchImage(int jobs, const std::string& name, int gib,
                               absl::Time deadline);

// Takes it away; OK when there is none. The directory is free at once, whoever
// still is in the file system can write nothing more, and the space comes back
// a little later (scratch_trash.h): MountScratchImage waits for it where it
// needs it.
absl::Status RemoveScratchImage(int jobs, const std::string& name);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_SCRATCH_IMAGE_H_
