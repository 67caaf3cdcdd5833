// The plugin on a node, inside slurmstepd: creates the environment once per
// step, and lets each task join it. README.md explains at which points of
// Slurm's sequence, and why.
//
// Does not use Abseil, like submit_side.h.
#ifndef CARME_SLURM_HOOKS_SPANK_NODE_SIDE_H_
#define CARME_SLURM_HOOKS_SPANK_NODE_SIDE_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/unique_fd.h"

namespace carme {

struct EnvironmentOrder {
  std::string program;  // carme-env-mount
  std::string edf;      // rendered
  uid_t uid = 0;
  gid_t gid = 0;
  std::string script;  // of a batch job; otherwise empty
};

// An environment that tasks can join. It is invalid if `refusal` is not empty.
struct MadeEnvironment {
  std::string refusal;
  // Its namespaces, which exist as long as they are used.
  UniqueFd mounts;
  UniqueFd ipc;
  std::string workdir;  // empty: the task's own if it exists
  // Processes that serve the user's images; they are not tasks.
  std::vector<pid_t> servers;
  std::string libraries;  // added to LD_LIBRARY_PATH; may be empty
  // A variable without a value must be unset.
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
};

// Starts carme-env-mount as root and waits for at most one minute. The process
// must have the real user id 0; its effective user id does not matter.
MadeEnvironment MakeEnvironment(const EnvironmentOrder& order);

// Parses the answer of carme-env-mount. Invalid answers become a refusal.
MadeEnvironment ReadAnswer(const std::string& answer, UniqueFd mounts,
                           UniqueFd ipc);

// Call in slurmstepd as root once a task is in its control groups: adds the
// servers of the environment to the task's control group, so that they end with
// it. Servers that cannot be added are killed; then returns false.
bool EndServersWith(const MadeEnvironment& environment, pid_t task);

// Call in a task's process while it is root: keeps the right to join the
// environment after Slurm has switched to the user. Until JoinEnvironment the
// process has capabilities that are permitted but not effective; an exec would
// drop them.
bool KeepRightToJoin();

// Call in a task's process after it has switched to the user and while it has
// one thread. Enters the environment and drops all capabilities for this
// process and later execs. Returns the reason if the task must end.
std::optional<std::string> JoinEnvironment(const MadeEnvironment& environment);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_NODE_SIDE_H_
