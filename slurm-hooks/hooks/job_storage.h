// A parallel file system that exists as long as a job, such as BeeOND: started
// and stopped on the job's first node by commands of the site.
//
// The commands run without a shell. Placeholders in them:
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

// For RunGuarded: longer than starting and, after a failure, stopping may take.
inline constexpr absl::Duration kStorageLimit = absl::Seconds(1230);

// The nodes of this hook's job, from SLURM_NODELIST and SLURMD_NODENAME.
// INVALID_ARGUMENT: malformed list.
struct HookNodes {
  std::vector<std::string> all;
  std::string this_node;
  bool IsFirst() const { return !all.empty() && all[0] == this_node; }
};
absl::StatusOr<HookNodes> ReadHookNodes();

// Starts the storage on the first node of a job that has at least the
// configured number of nodes, records the nodes, and creates
// `<directory>/<job>` with mode 0700 for its user; only root may be able to
// write the path to it. Otherwise, and without a command, does nothing. Errors
// are messages for the user; a partial start is stopped again.
absl::Status StartJobStorage(const JobStorage& storage, const HookJob& job);

// Stops the storage, on all nodes that it was started for, on the node where
// StartJobStorage recorded it. Slurm's list of nodes does not serve: the Epilog
// of a node that the job has returned sees the returned nodes only, that of the
// first node sees the others.
absl::Status StopJobStorage(const JobStorage& storage, const HookJob& job);

// Expands a list such as "n[1-2,07]a,m". Returns nullopt if it is malformed or
// has more than 100,000 names.
std::optional<std::vector<std::string>> ExpandNodeList(std::string_view list);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_JOB_STORAGE_H_
