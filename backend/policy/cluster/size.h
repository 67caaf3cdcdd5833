// Whether a job of this size fits on the nodes of a partition.
#ifndef CARME_BACKEND_POLICY_CLUSTER_SIZE_H_
#define CARME_BACKEND_POLICY_CLUSTER_SIZE_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// All violations. REQUIRES: the spec is complete and not negative; `nodes` are
// those of its partition, at least one.
std::vector<Violation> CheckSize(const JobSpec& spec,
                                 const std::vector<const SlurmNode*>& nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_SIZE_H_
