// Which rank of which step the processes of the job on this node belong to, for
// sources that find processes by their id. Used on the sampler's thread.
#ifndef CARME_SLURM_HOOKS_SAMPLER_PROCESS_RANKS_H_
#define CARME_SLURM_HOOKS_SAMPLER_PROCESS_RANKS_H_

#include <sys/types.h>

#include <string>
#include <unordered_map>
#include <utility>

namespace carme::sampler {

struct StepRank {
  std::string step;  // Slurm's; may be empty
  std::string rank;  // not empty
};

class ProcessRanks {
 public:
  void Replace(std::unordered_map<pid_t, StepRank> ranks) {
    ranks_ = std::move(ranks);
  }
  // nullptr: not a process of the job, or of no rank.
  const StepRank* Find(pid_t pid) const {
    const auto found = ranks_.find(pid);
    return found == ranks_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<pid_t, StepRank> ranks_;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_PROCESS_RANKS_H_
