// What the plugin does on a node, inside slurmstepd: has the environment made
// once a step, and lets each task join it. README.md says where in Slurm's
// order of things, and why there.
//
// Without Abseil, as submit_side.h.
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
  std::string script;  // of a batch job; empty: none
};

// An environment as tasks need it. Where `refusal` is not empty there is none.
struct MadeEnvironment {
  std::string refusal;
  // Its namespaces, which live with their last user.
  UniqueFd mounts;
  UniqueFd ipc;
  std::string workdir;  // empty: the task's own where it is there
  // What reads the user's images; they are not tasks.
  std::vector<pid_t> servers;
  std::string libraries;  // to be added to LD_LIBRARY_PATH; empty: none
  // A variable without a value is to be unset.
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
};

// Starts the program as root and waits, for a minute at most. The process has
// the real user id 0; its effective one does not matter.
MadeEnvironment MakeEnvironment(const EnvironmentOrder& order);

// The answer of the program; nothing that is no answer gets through.
MadeEnvironment ReadAnswer(const std::string& answer, UniqueFd mounts,
                           UniqueFd ipc);

// In slurmstepd, as root, once a task is in its control groups: lets the
// environment's servers be ended as the task is. Those that cannot be are ended
// at once; then false.
bool EndServersWith(const MadeEnvironment& environment, pid_t task);

// In a task's process while it is root: lets it join although Slurm makes it
// the user's before it may. Until JoinEnvironment it has capabilities that are
// not in effect; an exec would take them.
bool KeepRightToJoin();

// In a task's process once it is the user's, and has no other thread. It is in
// the environment then, without any capability, and exec gives it none; or
// returns why it must end.
std::optional<std::string> JoinEnvironment(const MadeEnvironment& environment);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_NODE_SIDE_H_
