// Frees disk space in the background: freeing 10 GiB can keep a disk busy for a
// second. Files are moved into `<jobs>/trash`, which belongs to root, where a
// process that outlives the hook frees them in pieces. Leftovers of a crash are
// freed with the next job.
#ifndef CARME_SLURM_HOOKS_HOOKS_SCRATCH_TRASH_H_
#define CARME_SLURM_HOOKS_HOOKS_SCRATCH_TRASH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::hooks {

// Moves the file `name` from `jobs` to the trash. Only root may be able to
// write `jobs`; the content of the file must not be in use.
absl::Status MoveToTrash(int jobs, const std::string& name);

// Frees all files now, concurrently with other processes that do the same; OK
// if there are none.
absl::Status EmptyTrash(int jobs, absl::Time deadline);

// Starts a process that closes `in_use`, waits for others that empty the trash,
// and then empties it slowly. Only its cgroup can end it; if it cannot be
// started, the next job does its work.
void EmptyTrashInBackground(int jobs, UniqueFd in_use);

// Same as above, if files are left and no process is emptying the trash.
void EmptyLeftoverTrashInBackground(int jobs);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_SCRATCH_TRASH_H_
