// The resources that a pending job lacks.
#ifndef CARME_BACKEND_POLICY_CLUSTER_SHORTAGE_H_
#define CARME_BACKEND_POLICY_CLUSTER_SHORTAGE_H_

#include <string>

#include "backend/policy/spec/job_spec.h"
#include "backend/slurm/snapshot.h"
#include "common/display_text.h"

namespace carme::backend {

// "1 of 8 a100 GPUs is free", "40 of 64 CPUs are free, at most 8 on a node",
// with "; 1 of 3 nodes is down" if there are any. Counts the nodes of the job's
// partition for jobs of Carme. Empty: enough seems free, or there is no such
// node. Pure. REQUIRES: a spec with its defaults filled in.
DisplayText Shortage(const JobSpec& spec, const SlurmSnapshot& cluster);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_SHORTAGE_H_
