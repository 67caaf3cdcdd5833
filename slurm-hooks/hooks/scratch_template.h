// The empty file system that each job's scratch starts as. It is created once
// for each size, in a sparse file next to the jobs' directories, and copied: a
// few hundred KiB instead of a run of mkfs for each job.
#ifndef CARME_SLURM_HOOKS_HOOKS_SCRATCH_TEMPLATE_H_
#define CARME_SLURM_HOOKS_HOOKS_SCRATCH_TEMPLATE_H_

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace carme::hooks {

// Writes an empty ext4 into `image`, a file of `gib` GiB that reads as zeros,
// from the template in `jobs`, which is created if missing. Allocated blocks of
// the file stay allocated. DEADLINE_EXCEEDED, INTERNAL. Only root may be able
// to write `jobs`; SIGCHLD must be blocked.
absl::Status WriteEmptyFileSystem(int jobs, int image, int gib,
                                  absl::Time deadline);

// Removes a template that does not work; the next call creates it again.
void RemoveTemplate(int jobs, int gib);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_SCRATCH_TEMPLATE_H_
