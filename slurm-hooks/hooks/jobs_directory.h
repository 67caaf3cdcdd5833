// The directory that holds one runtime directory a job, handled as root.
//
// Nothing here follows a link, and every step from "/" must belong to root and
// be writable by root alone: so between two calls nobody but root can put
// another thing under a name that was checked.
#ifndef CARME_SLURM_HOOKS_HOOKS_JOBS_DIRECTORY_H_
#define CARME_SLURM_HOOKS_HOOKS_JOBS_DIRECTORY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hooks/hook_job.h"

namespace carme::hooks {

enum class IfMissing { kMake, kFail };

// Walks to `path`, absolute and without ".." in it; missing directories are
// made 0755. INVALID_ARGUMENT; NOT_FOUND; FAILED_PRECONDITION: a step is a
// link, another's, or writable by others.
absl::StatusOr<UniqueFd> OpenJobsDirectory(const std::string& path,
                                           IfMissing if_missing);

// Makes `<jobs>/<job id>`, 0700 and its user's, with a file system of its own
// of `limit_gib` GiB where that is not 0. What an earlier run of the job left
// is removed with its content before `deadline`. RESOURCE_EXHAUSTED: the disk
// has no room.
absl::Status MakeJobDirectory(int jobs, const HookJob& job, int limit_gib,
                              absl::Time deadline);

// As above, with a small file system in memory of its own.
absl::Status MakeRuntimeDirectory(int jobs, const HookJob& job,
                                  absl::Time deadline);

// Removes it with its content, its file system and the reason; OK when there is
// none.
absl::Status RemoveJobDirectory(int jobs, const HookJob& job,
                                absl::Time deadline);

// Writes down for the job's agent why the job cannot begin, in
// `<jobs>/<job id>.failed`, readable by its user.
absl::Status WriteFailureReason(int jobs, const HookJob& job,
                                std::string_view reason);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_JOBS_DIRECTORY_H_
