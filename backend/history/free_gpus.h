// When GPUs come free: a pure function of what runs.
#ifndef CARME_BACKEND_HISTORY_FREE_GPUS_H_
#define CARME_BACKEND_HISTORY_FREE_GPUS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

struct FreeStep {
  absl::Time at;
  int free = 0;  // from then on
  friend bool operator==(const FreeStep&, const FreeStep&) = default;
};

struct FreeGpus {
  std::string type{};
  int total = 0;  // on nodes that are up
  int free = 0;   // now
  std::vector<FreeStep> steps{};
};

// By type. As if every running job took all of its time and nobody else came;
// an end that has passed is "now". Jobs on nodes that are not up give their
// GPUs to nobody: never more are free than there are. At most `max_steps`.
std::vector<FreeGpus> FreeGpusOver(const SlurmSnapshot& cluster, absl::Time now,
                                   int max_steps);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_FREE_GPUS_H_
