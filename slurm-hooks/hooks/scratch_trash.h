// Space that is given back behind the back of Prolog and Epilog: giving back
// 10 GiB can keep a disk busy for a second. What is to go is moved into
// `<jobs>/trash`, root's alone, where a process that outlives the hook frees it
// piece by piece. What a crash left there goes with the next job's.
#ifndef CARME_SLURM_HOOKS_HOOKS_SCRATCH_TRASH_H_
#define CARME_SLURM_HOOKS_HOOKS_SCRATCH_TRASH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::hooks {

// Moves the file `name` from `jobs` to the trash.
// REQUIRES: only root can write `jobs`; nobody needs what is in the file.
absl::Status MoveToTrash(int jobs, const std::string& name);

// Frees all of it now, beside others that do the same; OK when there is none.
absl::Status EmptyTrash(int jobs, absl::Time deadline);

// Starts a process that lets go of `in_use` and then frees what is in the
// trash, at its leisure and after others that do. Nothing of the caller's ends
// it but its cgroup; where it cannot be started, the next one does its work.
void EmptyTrashInBackground(int jobs, UniqueFd in_use);

// As above, where something was left there and nobody is at it.
void EmptyLeftoverTrashInBackground(int jobs);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_SCRATCH_TRASH_H_
