#include "slurm-hooks/vet/coordination/rounds.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

namespace carme::vet {
namespace {

TEST_CASE("vet rounds: no node is in two pairs of a round", "[vet]") {
  for (size_t nodes = 0; nodes <= 40; ++nodes) {
    for (size_t round = 0; round < RoundCount(nodes); ++round) {
      std::set<size_t> busy;
      for (const auto& [a, b] : PairsOfRound(nodes, round)) {
        INFO(nodes << " nodes, round " << round << ": " << a << ", " << b);
        CHECK(busy.insert(a).second);
        CHECK(busy.insert(b).second);
        CHECK(std::max(a, b) < nodes);
      }
      CHECK(busy.size() == nodes / 2 * 2);
    }
  }
}

TEST_CASE("vet rounds: every pair meets exactly once", "[vet]") {
  for (const size_t nodes : {2, 3, 4, 7, 16, 33}) {
    std::map<NodePair, int> meetings;
    for (const size_t round : SelectRounds(nodes, 0)) {
      for (const auto& [a, b] : PairsOfRound(nodes, round)) {
        ++meetings[std::minmax(a, b)];
      }
    }
    INFO(nodes);
    CHECK(meetings.size() == nodes * (nodes - 1) / 2);
    CHECK(std::all_of(meetings.begin(), meetings.end(),
                      [](const auto& entry) { return entry.second == 1; }));
  }
}

TEST_CASE("vet rounds: a limit keeps rounds that are far apart", "[vet]") {
  CHECK(RoundCount(2688) == 2687);
  CHECK(SelectRounds(2688, 4) == std::vector<size_t>{0, 671, 1343, 2015});
  CHECK(SelectRounds(4, 100).size() == 3);
  CHECK(SelectRounds(1, 0).empty());
}

}  // namespace
}  // namespace carme::vet
