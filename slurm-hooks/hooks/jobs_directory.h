// The directory that contains one runtime directory for each job, handled as
// root.
//
// No function follows links, and each directory from "/" on must belong to root
// and be writable by root only: only root can replace a name between two calls.
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

// Opens `path`, which is absolute and without "..", one component at a time;
// creates missing directories with mode 0755. INVALID_ARGUMENT; NOT_FOUND;
// FAILED_PRECONDITION: a component is a link, not root's, or writable by
// others.
absl::StatusOr<UniqueFd> OpenJobsDirectory(const std::string& path,
                                           IfMissing if_missing);

// Creates `<jobs>/<job id>` with mode 0700 for the job's user, with its own
// file system of `limit_gib` GiB unless that is 0. Removes what an earlier run
// of the job left before `deadline`. RESOURCE_EXHAUSTED: not enough disk space.
absl::Status MakeJobDirectory(int jobs, const HookJob& job, int limit_gib,
                              absl::Time deadline);

// Same as above, with a small tmpfs of its own. Mode and owner protect all
// sockets of the job: the agent ends a job whose directory has others.
absl::Status MakeRuntimeDirectory(int jobs, const HookJob& job,
                                  absl::Time deadline);

// Removes the directory, its content, its file system and the failure reason;
// OK if there is none.
absl::Status RemoveJobDirectory(int jobs, const HookJob& job,
                                absl::Time deadline);

// Writes the reason why the job cannot start to `<jobs>/<job id>.failed`,
// readable by the job's user, for the agent.
absl::Status WriteFailureReason(int jobs, const HookJob& job,
                                std::string_view reason);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_JOBS_DIRECTORY_H_
