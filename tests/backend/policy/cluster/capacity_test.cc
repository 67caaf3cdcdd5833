#include "backend/policy/cluster/capacity.h"

#include <catch2/catch.hpp>

#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

TEST_CASE("capacity: a node without the feature does not count", "[policy]") {
  const SlurmSnapshot cluster = SmallCluster();
  CHECK(NodesForJobs(cluster, "main").size() == 3);
  CHECK(NodesForJobs(cluster, "").size() == 5);
  CHECK(NodesForJobs(cluster, "nowhere").empty());
}

TEST_CASE("capacity: the share is the smallest that is right everywhere",
          "[policy]") {
  const SlurmSnapshot cluster = SmallCluster();
  struct Row {
    JobSpec spec;
    int cpus;
    int64_t memory_mib;
  };
  const Row rows[] = {
      {{.gpus_per_node = 1, .gpu_type = "a100"}, 16, 65536},
      {{.gpus_per_node = 4, .gpu_type = "a100"}, 64, 262144},
      {{.gpus_per_node = 1}, 4, 16384},    // the V100 node's share
      {{.gpus_per_node = 8}, 32, 131072},  // only that node has so many
      {{.gpus_per_node = 99}, 1, 0},       // none has
      {{}, 1, 4096},                       // a CPU's share
      {{.cpus_per_node = 48}, 1, 196608},  // only the large ones have 48
  };
  for (const Row& row : rows) {
    INFO(row.spec.gpus_per_node << " " << row.spec.gpu_type);
    JobSpec spec = row.spec;
    const Share share = ShareOf(spec, NodesForJobs(cluster, "main"));
    if (spec.cpus_per_node == 0) CHECK(share.cpus == row.cpus);
    CHECK(share.memory_mib == row.memory_mib);
  }
}

TEST_CASE("capacity: more GPUs than CPUs still gives one CPU", "[policy]") {
  const SlurmNode node = NodeWith("n", "p", 2, 100, {{"gpu", 8}});
  const Share share = ShareOf({.gpus_per_node = 1}, {&node});
  CHECK(share.cpus == 1);
  CHECK(share.memory_mib == 12);
}

}  // namespace
}  // namespace carme::backend
