// Does a job of this size fit on the nodes of a partition?
#ifndef CARME_BACKEND_POLICY_CLUSTER_SIZE_H_
#define CARME_BACKEND_POLICY_CLUSTER_SIZE_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// Every reason why not. REQUIRES: the spec is complete and its numbers are not
// negative; `nodes` are those of its partition and not none.
std::vector<Violation> CheckSize(const JobSpec& spec,
                                 const std::vector<const SlurmNode*>& nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_SIZE_H_
