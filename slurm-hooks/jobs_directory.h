// The directory that holds one runtime directory a job, handled as root.
//
// Nothing here follows a link, and every step from "/" must belong to root and
// be writable by root alone: so between two calls nobody but root can put
// another thing under a name that was checked.
#ifndef CARME_SLURM_HOOKS_JOBS_DIRECTORY_H_
#define CARME_SLURM_HOOKS_JOBS_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hook_job.h"

namespace carme::hooks {

enum class IfMissing { kMake, kFail };

// Walks to `path`, absolute and without ".." in it; missing directories are
// made 0755. INVALID_ARGUMENT; NOT_FOUND; FAILED_PRECONDITION: a step is a
// link, another's, or writable by others.
absl::StatusOr<UniqueFd> OpenJobsDirectory(const std::string& path,
                                           IfMissing if_missing);

// Makes `<jobs>/<job id>`, 0700 and its user's. A directory that an earlier
// run of the job left is removed with its content before `deadline`.
absl::Status MakeJobDirectory(int jobs, const HookJob& job,
                              absl::Time deadline);

// Removes it with its content; OK when there is none.
absl::Status RemoveJobDirectory(int jobs, const HookJob& job,
                                absl::Time deadline);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_JOBS_DIRECTORY_H_
