// A parallel file system that lives as long as a job, such as BeeOND: started
// and stopped on the job's first node by commands of the site's.
//
// The commands are words without a shell. Replaced in them:
//   {nodefile}   a file with the names of the job's nodes, a line each
//   {directory}  where jobs find it; {job} may stand in it
//   {job}, {uid} Slurm's number of the job, its user's
#ifndef CARME_SLURM_HOOKS_HOOKS_JOB_STORAGE_H_
#define CARME_SLURM_HOOKS_HOOKS_JOB_STORAGE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "slurm-hooks/hooks/hook_job.h"
#include "slurm-hooks/node_config.h"

namespace carme::hooks {

// For RunGuarded: more than starting and, where that failed, stopping may take.
inline constexpr absl::Duration kStorageLimit = absl::Seconds(1230);

// The nodes of this hook's job, as slurmd's SLURM_NODELIST and SLURMD_NODENAME
// have them. INVALID_ARGUMENT: a list that cannot be read.
struct HookNodes {
  std::vector<std::string> all;
  std::string this_node;
  bool IsFirst() const { return !all.empty() && all[0] == this_node; }
};
absl::StatusOr<HookNodes> ReadHookNodes();

// Starts it where this is the job's first node and the job has as many nodes
// as the configuration wants, and makes `<directory>/<job>`, 0700 and its
// user's; each step to the directory must be root's alone. Otherwise, and
// without a command, does nothing. An error is in words for the user; what was
// begun is stopped again then.
absl::Status StartJobStorage(const JobStorage& storage, const HookJob& job);

// Stops it where StartJobStorage would have started it.
absl::Status StopJobStorage(const JobStorage& storage, const HookJob& job);

// "n[1-2,07]a,m" written out; nothing when it is none or names more than
// 100,000.
std::optional<std::vector<std::string>> ExpandNodeList(std::string_view list);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_JOB_STORAGE_H_
