// The capacity of a partition's nodes for jobs of Carme, whether free or not.
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

// The nodes with Carme's feature in `partition`; empty: in any. Pointers into
// the snapshot.
std::vector<const SlurmNode*> NodesForJobs(const SlurmSnapshot& cluster,
                                           std::string_view partition);

// The GPUs of the type; empty: of all types.
int GpusOf(const SlurmNode& node, const std::string& type);

std::set<std::string> GpuTypesOf(const std::vector<const SlurmNode*>& nodes);

struct Share {
  int cpus = 1;
  int64_t memory_mib = 0;
};

// The CPUs and the memory for the spec's GPUs on a node, or for its CPUs if it
// requests no GPU: the smallest share of all nodes that have that many, so that
// each of them can run the job. At least 1 of each; without such a node 1 and
// 0.
Share ShareOf(const JobSpec& spec, const std::vector<const SlurmNode*>& nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_CAPACITY_H_
