// The programs that this one started, and whatever they left to it.
#ifndef CARME_SLURM_HOOKS_PROCESS_CHILDREN_H_
#define CARME_SLURM_HOOKS_PROCESS_CHILDREN_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slurm-hooks/process/child_process.h"

namespace carme::node {

class Children {
 public:
  struct End {
    uint64_t id = 0;
    ProcessEnd how;
  };

  // From now on orphans below this process are given to it.
  static absl::Status Adopt();

  // As ChildProcess::Start; ALREADY_EXISTS: `id` runs. The process id is this
  // namespace's.
  absl::StatusOr<pid_t> Start(uint64_t id, const Launch& launch);

  // To the program and its process group; nothing when it does not run.
  void Signal(uint64_t id, int number) const;

  // Reaps everybody; what an ended program left in its group is killed.
  std::vector<End> TakeEnds();

  // Ends every process below this one, and waits for them, at most 5 s.
  void KillAll();

 private:
  std::map<uint64_t, pid_t> running_;
};

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_PROCESS_CHILDREN_H_
