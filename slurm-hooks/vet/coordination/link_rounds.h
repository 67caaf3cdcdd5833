// One round of measurements between pairs of nodes, in which no node is in two
// pairs: tells both nodes of each pair what to do, and collects their results.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_LINK_ROUNDS_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_LINK_ROUNDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "slurm-hooks/vet/coordination/link_matrix.h"
#include "slurm-hooks/vet/coordination/node_connections.h"
#include "slurm-hooks/vet/coordination/rounds.h"

namespace carme::vet {

// What a worker needs beyond the time-outs of its evaluations.
inline constexpr absl::Duration kWorkerGrace = absl::Seconds(10);

// Not thread-safe. Each function blocks for at most the time-out of the
// evaluation and what the workers need beyond it, returns a link for each pair
// that was measured or has failed, and closes the connection of a node that has
// not answered. A pair of which a node was lost has no link: the other node is
// not to blame.
class LinkRounds {
 public:
  // `connections` and `names` must outlive this.
  LinkRounds(NodeConnections* connections,
             const std::vector<std::string>& names, uint32_t evaluation,
             absl::Duration timeout)
      : connections_(*connections),
        names_(names),
        evaluation_(evaluation),
        timeout_(timeout) {}

  std::vector<Link> RunByTcp(const std::vector<NodePair>& pairs);
  // `gpus`: the number of GPUs of each node. The node that comes first has the
  // first ranks, and creates the unique id, which travels over the connections.
  std::vector<Link> RunByNccl(const std::vector<NodePair>& pairs,
                              const std::map<size_t, uint32_t>& gpus);

 private:
  absl::Time Deadline() const;

  NodeConnections& connections_;
  const std::vector<std::string>& names_;
  const uint32_t evaluation_;
  const absl::Duration timeout_;
};

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_LINK_ROUNDS_H_
