// A word and a sentence for every state that Slurm gives a node.
#ifndef CARME_BACKEND_SLURM_QUERY_NODE_STATE_H_
#define CARME_BACKEND_SLURM_QUERY_NODE_STATE_H_

#include <cstdint>

#include "backend/slurm/cluster_detail.h"

namespace carme::backend {

// Of node_info_t's node_state: a base state and flags.
NodeState NodeStateOf(uint32_t state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_NODE_STATE_H_
