#include "slurm-hooks/vet/coordination/rounds.h"

namespace carme::vet {

size_t RoundCount(size_t nodes) {
  if (nodes < 2) return 0;
  return nodes % 2 == 0 ? nodes - 1 : nodes;
}

std::vector<NodePair> PairsOfRound(size_t nodes, size_t round) {
  std::vector<NodePair> pairs;
  const size_t rounds = RoundCount(nodes);
  if (rounds == 0) return pairs;
  // The circle method: one place is fixed, the others move by one each round.
  // With an odd number, the fixed place is empty.
  if (nodes % 2 == 0) pairs.emplace_back(rounds, round);
  for (size_t i = 1; i <= (rounds - 1) / 2; ++i) {
    pairs.emplace_back((round + i) % rounds, (round + rounds - i) % rounds);
  }
  return pairs;
}

std::vector<size_t> SelectRounds(size_t nodes, size_t max) {
  const size_t rounds = RoundCount(nodes);
  const size_t count = max == 0 || max > rounds ? rounds : max;
  std::vector<size_t> selected;
  for (size_t i = 0; i < count; ++i) selected.push_back(i * rounds / count);
  return selected;
}

}  // namespace carme::vet
