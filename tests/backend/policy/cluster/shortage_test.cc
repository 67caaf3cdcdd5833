#include "backend/policy/cluster/shortage.h"

#include <catch2/catch.hpp>

#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

JobSpec Wanted(int nodes, int gpus, const std::string& type = "a100") {
  return {.nodes = nodes,
          .gpus_per_node = gpus,
          .gpu_type = type,
          .cpus_per_node = 4,
          .memory_per_node_mib = 4096,
          .partition = "main"};
}

// a1 and a2 are in use but for one GPU on a1 and two on a2.
SlurmSnapshot Busy() {
  SlurmSnapshot cluster = SmallCluster();
  cluster.nodes[0].gpus_used = {{"a100", 3}};
  cluster.nodes[1].gpus_used = {{"a100", 2}};
  return cluster;
}

TEST_CASE("shortage: no message if enough appears to be free", "[policy]") {
  CHECK(Shortage(Wanted(2, 4), SmallCluster()).empty());
  CHECK(Shortage(Wanted(1, 2), Busy()).empty());
  JobSpec nowhere = Wanted(1, 1);
  nowhere.partition = "none";
  CHECK(Shortage(nowhere, Busy()).empty());
}

TEST_CASE("shortage: counts GPUs of the type, and those together", "[policy]") {
  SlurmSnapshot cluster = Busy();
  CHECK(Shortage(Wanted(1, 3), cluster).text ==
        "3 of 8 a100 GPUs are free, at most 2 on a node");
  CHECK(Shortage(Wanted(2, 2), cluster).text ==
        "3 of 8 a100 GPUs are free, at most 2 on a node");
  cluster.nodes[1].gpus_used = {{"a100", 4}};
  CHECK(Shortage(Wanted(2, 1), cluster).text == "1 of 8 a100 GPUs is free");
  cluster.nodes[2].gpus_used = {{"v100", 8}};
  CHECK(Shortage(Wanted(2, 1, ""), cluster).text == "1 of 16 GPUs is free");
}

TEST_CASE("shortage: nodes that are down are named, not counted", "[policy]") {
  SlurmSnapshot cluster = Busy();
  cluster.nodes[0].up = false;
  CHECK(Shortage(Wanted(1, 3), cluster).text ==
        "2 of 4 a100 GPUs are free; 1 of 3 nodes is down");
}

TEST_CASE("shortage: nodes that the job excludes are not counted", "[policy]") {
  JobSpec spec = Wanted(1, 3);
  spec.excluded_nodes = {"a2"};
  CHECK(Shortage(spec, Busy()).text == "1 of 4 a100 GPUs is free");
}

TEST_CASE("shortage: CPUs and memory are named when GPUs are not it",
          "[policy]") {
  SlurmSnapshot cluster = SmallCluster();
  for (SlurmNode& node : cluster.nodes) node.cpus_used = node.cpus - 2;
  CHECK(Shortage(Wanted(1, 1), cluster).text ==
        "6 of 160 CPUs are free, at most 2 on a node");
  for (SlurmNode& node : cluster.nodes) {
    node.cpus_used = 0;
    node.memory_used_mib = node.memory_mib - 2048;
  }
  CHECK(Shortage(Wanted(1, 1), cluster).text ==
        "6 of 640 GiB of memory are free, at most 2 on a node");
  // GPUs on one node, CPUs on another.
  cluster = SmallCluster();
  cluster.nodes[0].cpus_used = 64;
  cluster.nodes[1].gpus_used = {{"a100", 4}};
  CHECK(Shortage(Wanted(1, 1), cluster).text ==
        "0 nodes have all of it free together");
}

}  // namespace
}  // namespace carme::backend
