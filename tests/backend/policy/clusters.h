// A cluster for the policy's tests: two partitions, three kinds of node.
#ifndef CARME_TESTS_BACKEND_POLICY_CLUSTERS_H_
#define CARME_TESTS_BACKEND_POLICY_CLUSTERS_H_

#include <string>
#include <utility>

#include "absl/time/time.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

inline SlurmNode NodeWith(std::string name, std::string partition, int cpus,
                          int64_t memory_mib, std::map<std::string, int> gpus) {
  SlurmNode node;
  node.name = std::move(name);
  node.up = true;
  node.has_feature = true;
  node.cpus = cpus;
  node.memory_mib = memory_mib;
  node.gpus = std::move(gpus);
  node.partitions = {std::move(partition)};
  return node;
}

// "main" (default, at most 8 h): a1, a2 with 4 A100, 64 CPUs, 256 GiB; v1 with
// 8 V100, 32 CPUs, 128 GiB; x1 with 16 A100 but not for Carme's jobs.
// "long": no time limit, c1 with 128 CPUs and no GPU. "off": down.
inline SlurmSnapshot SmallCluster() {
  SlurmSnapshot cluster;
  cluster.reachable = true;
  cluster.asked_at = absl::UnixEpoch();
  cluster.nodes = {NodeWith("a1", "main", 64, 262144, {{"a100", 4}}),
                   NodeWith("a2", "main", 64, 262144, {{"a100", 4}}),
                   NodeWith("v1", "main", 32, 131072, {{"v100", 8}}),
                   NodeWith("x1", "main", 256, 1 << 20, {{"a100", 16}}),
                   NodeWith("c1", "long", 128, 524288, {}),
                   NodeWith("d1", "off", 8, 8192, {})};
  cluster.nodes[3].has_feature = false;
  cluster.partitions = {
      {"main", true, true, absl::Hours(8), {"a1", "a2", "v1", "x1"}},
      {"long", false, true, std::nullopt, {"c1"}},
      {"off", false, false, std::nullopt, {"d1"}}};
  return cluster;
}

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_POLICY_CLUSTERS_H_
