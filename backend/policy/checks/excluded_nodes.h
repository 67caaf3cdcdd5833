// Checks the nodes that a job must not run on. Pure.
#ifndef CARME_BACKEND_POLICY_CHECKS_EXCLUDED_NODES_H_
#define CARME_BACKEND_POLICY_CHECKS_EXCLUDED_NODES_H_

#include <cstddef>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

inline constexpr size_t kMaxExcludedNodesOfSpec = 64;  // jobs.proto

// At most kMaxExcludedNodesOfSpec valid names, each once.
std::vector<Violation> CheckExcludedNodes(const JobSpec& spec);

// Names the valid ones that no node of the cluster has.
std::vector<Violation> CheckExcludedNodesExist(const JobSpec& spec,
                                               const SlurmSnapshot& cluster);

void RemoveExcludedNodes(const JobSpec& spec,
                         std::vector<const SlurmNode*>* nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_EXCLUDED_NODES_H_
