// What the nodes of a partition could give to one of Carme's jobs, whether or
// not it is free now.
#ifndef CARME_BACKEND_POLICY_CLUSTER_CAPACITY_H_
#define CARME_BACKEND_POLICY_CLUSTER_CAPACITY_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// Nodes that carry Carme's feature, in `partition`; empty: in any. Pointers
// into the snapshot.
std::vector<const SlurmNode*> NodesForJobs(const SlurmSnapshot& cluster,
                                           std::string_view partition);

// GPUs of the type; of all types when it is empty.
int GpusOf(const SlurmNode& node, const std::string& type);

std::set<std::string> GpuTypesOf(const std::vector<const SlurmNode*>& nodes);

struct Share {
  int cpus = 1;
  int64_t memory_mib = 0;
};

// The CPUs and the memory that belong to the spec's GPUs on a node, or to its
// CPUs where it wants no GPU: the smallest share of all nodes that have that
// many, so that every one of them can run the job. At least 1 of each; no such
// node: 1 and 0.
Share ShareOf(const JobSpec& spec, const std::vector<const SlurmNode*>& nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_CAPACITY_H_
