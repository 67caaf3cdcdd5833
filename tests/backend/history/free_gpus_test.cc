#include "backend/history/free_gpus.h"

#include <catch2/catch.hpp>

#include "backend/slurm/cluster_detail.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);
absl::Time In(int minutes) { return kNow + absl::Minutes(minutes); }

SlurmNode Node(const std::string& name, bool up, int total, int used) {
  SlurmNode node;
  node.name = name;
  node.up = up;
  node.gpus = {{"h200", total}};
  if (used > 0) node.gpus_used = {{"h200", used}};
  return node;
}

SlurmSnapshot Cluster(std::vector<SlurmNode> nodes,
                      std::vector<GpuRelease> releases) {
  SlurmSnapshot cluster;
  cluster.nodes = std::move(nodes);
  auto detail = std::make_shared<ClusterDetail>();
  detail->releases = std::move(releases);
  cluster.detail = detail;
  return cluster;
}

TEST_CASE("free GPUs: no forecast for a job without an end", "[backend]") {
  const auto cluster =
      Cluster({Node("n1", true, 4, 4)}, {{absl::InfiniteFuture(), "h200", 4}});
  const auto gpus = FreeGpusOver(cluster, kNow, 32);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].free == 0);
  CHECK(gpus[0].steps.empty());
}

TEST_CASE("free GPUs: never more than there are", "[backend]") {
  // The job's node is down: its GPUs do not become free.
  const auto cluster =
      Cluster({Node("n1", true, 2, 1), Node("n2", false, 2, 2)},
              {{In(5), "h200", 2}, {In(10), "h200", 1}});
  const auto gpus = FreeGpusOver(cluster, kNow, 32);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].total == 2);
  CHECK(gpus[0].free == 1);
  CHECK(gpus[0].steps == std::vector<FreeStep>{{In(5), 2}});
}

TEST_CASE("free GPUs: ends come one after the other", "[backend]") {
  const auto cluster = Cluster({Node("n1", true, 8, 7)}, {{In(-3), "h200", 1},
                                                          {In(5), "h200", 2},
                                                          {In(5), "h200", 1},
                                                          {In(9), "other", 3},
                                                          {In(20), "h200", 3}});
  const auto gpus = FreeGpusOver(cluster, kNow, 32);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].free == 1);
  // An end that has passed is a job that is being cleaned up.
  CHECK(gpus[0].steps ==
        std::vector<FreeStep>{{kNow, 2}, {In(5), 5}, {In(20), 8}});
  CHECK(FreeGpusOver(cluster, kNow, 2)[0].steps.size() == 2);
}

TEST_CASE("free GPUs: none before the first response of Slurm", "[backend]") {
  CHECK(FreeGpusOver(SlurmSnapshot(), kNow, 32).empty());
}

}  // namespace
}  // namespace carme::backend
