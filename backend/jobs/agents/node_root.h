// Which node a report of root is from.
#ifndef CARME_BACKEND_JOBS_AGENTS_NODE_ROOT_H_
#define CARME_BACKEND_JOBS_AGENTS_NODE_ROOT_H_

#include <string>

#include "absl/status/status.h"
#include "backend/slurm/scheduler.h"
#include "common/ids.h"

namespace carme::backend {

// Whether the sender is root on this node. `uid`: proved by MUNGE;
// `peer_address`: observed. PERMISSION_DENIED: not root, or the node has
// another address; UNAVAILABLE: its name cannot be resolved, or nodes are not
// known yet. May block for the resolver.
absl::Status CheckNodeRoot(const Scheduler& scheduler, const std::string& node,
                           Uid uid, const std::string& peer_address);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_NODE_ROOT_H_
