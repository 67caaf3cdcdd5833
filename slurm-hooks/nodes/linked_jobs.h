// A job and the jobs that joined it, as one set of nodes: ranks go on from the
// first job's, and each node knows the others by their name, whoever's they
// are. Functions over values.
#ifndef CARME_SLURM_HOOKS_NODES_LINKED_JOBS_H_
#define CARME_SLURM_HOOKS_NODES_LINKED_JOBS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "carme/node/v1/peer.pb.h"

namespace carme::node {

// A job's own nodes, as it knows them itself.
struct OwnNodes {
  std::string job;  // Carme's id
  std::vector<v1::JobNode> nodes;
  uint32_t master_port = 0;
};

v1::Meet BuildOwnNodeList(const OwnNodes& own);

// INVALID_ARGUMENT: this job is not a member, or two have a node of one name.
absl::StatusOr<v1::Meet> BuildNodeList(const carme::v1::JobFamily& family,
                                       const OwnNodes& own);

// What this job says of itself to the others.
carme::v1::JobMember BuildJobMember(const OwnNodes& own,
                                    const v1::SshKeys& keys);

// The rank among all of the job's `own_rank`th node; its nodes are those
// without a host key of their own. INVALID_ARGUMENT: it has not so many.
absl::StatusOr<uint32_t> RankAmongAll(const v1::Meet& meet, uint32_t own_rank);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_NODES_LINKED_JOBS_H_
