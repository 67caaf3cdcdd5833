// The worker of one node: runs what the coordinator asks for.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_WORKER_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_WORKER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/vet/coordination/channel.h"

namespace carme::vet {

// Blocks until the coordinator has decided. Returns whether this node is
// healthy. UNAVAILABLE: the coordinator was lost. REQUIRES: this process has
// one thread and no other children.
absl::StatusOr<bool> RunWorker(Channel channel, uint32_t rank,
                               const std::string& host);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_WORKER_H_
