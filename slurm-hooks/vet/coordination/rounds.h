// The order in which pairs of nodes are measured: in each round, no node is in
// two pairs, so that no measurement disturbs another one of its node.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_ROUNDS_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_ROUNDS_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace carme::vet {

using NodePair = std::pair<size_t, size_t>;

// The number of rounds in which every pair of `nodes` meets once: a round-robin
// tournament. An odd number leaves one node out in each round.
size_t RoundCount(size_t nodes);

// The pairs of a round, which is below RoundCount(nodes).
std::vector<NodePair> PairsOfRound(size_t nodes, size_t round);

// The rounds that are run: all, or `max` that are evenly distributed.
std::vector<size_t> SelectRounds(size_t nodes, size_t max);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_ROUNDS_H_
