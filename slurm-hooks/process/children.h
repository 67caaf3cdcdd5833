// The child processes of this program, and the orphans that they leave behind.
#ifndef CARME_SLURM_HOOKS_PROCESS_CHILDREN_H_
#define CARME_SLURM_HOOKS_PROCESS_CHILDREN_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::node {

// The child processes of a process; empty if it has ended or belongs to another
// user.
std::set<pid_t> ChildrenOf(pid_t process);

class Children {
 public:
  struct End {
    uint64_t id = 0;
    ProcessEnd how;
  };

  // Makes this process the parent of orphaned descendants.
  static absl::Status Adopt();

  // Same as ChildProcess::Start. ALREADY_EXISTS: `id` is running. Returns the
  // process id in this pid namespace.
  absl::StatusOr<pid_t> Start(uint64_t id, const Launch& launch);

  // Sends a signal to the program's process group; no effect if it is not
  // running.
  void Signal(uint64_t id, int number) const;

  // Reaps all ended processes, and kills the remaining processes in their
  // groups.
  std::vector<End> TakeEnds();

  // Kills all descendants and waits for them for at most 5 s.
  void KillAll();

 private:
  std::map<uint64_t, pid_t> running_;
};

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_PROCESS_CHILDREN_H_
