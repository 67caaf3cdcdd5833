// When GPUs become free: a pure function of the running jobs.
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

// By type. Assumes that each running job uses its whole walltime and no job is
// added; an end in the past counts as now. GPUs of nodes that are not up are
// never free. At most `max_steps`.
std::vector<FreeGpus> FreeGpusOver(const SlurmSnapshot& cluster, absl::Time now,
                                   int max_steps);

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_FREE_GPUS_H_
