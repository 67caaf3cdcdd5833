// Combines the nodes of a job and its linked jobs into one list: ranks continue
// from the first job, and each node can reach the others by name. Functions
// over values.
#ifndef CARME_SLURM_HOOKS_NODES_LINKED_JOBS_H_
#define CARME_SLURM_HOOKS_NODES_LINKED_JOBS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "carme/node/v1/node_agent.pb.h"

namespace carme::node {

// The nodes of one job, as its agent collected them.
struct OwnNodes {
  std::string job;  // Carme's id
  std::vector<v1::JobNode> nodes;
  uint32_t master_port = 0;
};

v1::NodeList BuildOwnNodeList(const OwnNodes& own);

// INVALID_ARGUMENT: this job is not a member, or two nodes have the same name.
absl::StatusOr<v1::NodeList> BuildNodeList(const carme::v1::LinkedJobs& linked,
                                           const OwnNodes& own);

// Describes this job to its linked jobs.
carme::v1::LinkedJob BuildLinkedJob(const OwnNodes& own,
                                    const v1::SshKeys& keys);

// The names of this job's own nodes: those without a host key.
std::vector<std::string> OwnNodeNames(const v1::NodeList& list);

// Returns the rank, in the whole list, of the node of this job with this name.
// INVALID_ARGUMENT: the job has no such node.
absl::StatusOr<uint32_t> RankOfOwnNode(const v1::NodeList& list,
                                       const std::string& name);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_LINKED_JOBS_H_
