// Condition and description for every node state of Slurm.
#ifndef CARME_BACKEND_SLURM_QUERY_NODE_STATE_H_
#define CARME_BACKEND_SLURM_QUERY_NODE_STATE_H_

#include <cstdint>

#include "backend/slurm/cluster_detail.h"

namespace carme::backend {

// `state` is node_state of node_info_t: a base state and flags.
NodeState NodeStateOf(uint32_t state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_NODE_STATE_H_
