#include "backend/templates/template_import.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/slurm/query/gres.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

// As a node comes whose generic resources Slurm writes in these words.
SlurmNode NodeSaying(const char* name, const char* gres, int cpus = 32,
                     int64_t memory_mib = 131072) {
  return NodeWith(name, "main", cpus, memory_mib, ParseGpus(gres));
}

SlurmSnapshot ClusterOf(std::vector<SlurmNode> nodes) {
  SlurmSnapshot cluster;
  cluster.reachable = true;
  cluster.asked_at = absl::UnixEpoch();
  cluster.nodes = std::move(nodes);
  cluster.partitions = {{"main", true, true, absl::Hours(8), {}}};
  return cluster;
}

TEST_CASE("template import: nodes that are not Carme's make none",
          "[backend]") {
  SlurmSnapshot cluster = ClusterOf({NodeSaying("n1", "gpu:a100:4")});
  cluster.nodes[0].has_feature = false;
  CHECK(ProposeTemplates(cluster, {}).empty());
  // A node that has never registered has no data.
  CHECK(ProposeTemplates(ClusterOf({NodeSaying("n1", "gpu:a100:4", 0, 0)}), {})
            .empty());
  CHECK(ProposeTemplates({}, {}).empty());
}

TEST_CASE("template import: one a partition and GPU type, one without GPUs",
          "[backend]") {
  const auto proposals = ProposeTemplates(SmallCluster(), {});
  std::vector<std::string> names;
  for (const TemplateProposal& one : proposals) {
    names.push_back(one.job_template.name);
  }
  CHECK(names == std::vector<std::string>{"main a100", "main v100", "long CPU",
                                          "off CPU"});
  const JobTemplate& a100 = proposals[0].job_template;
  CHECK(a100.partition == "main");
  CHECK(a100.gpu_types == std::vector<std::string>{"a100"});
  CHECK(a100.max_gpus_per_node == 4);
  CHECK(a100.max_nodes == 2);
  CHECK(a100.cpus_per_gpu == 16);
  CHECK(a100.memory_per_gpu_mib == 65536);
  CHECK(a100.max_walltime == absl::Hours(8));
  CHECK(proposals[0].note == "2 nodes: a1, a2.");
  const JobTemplate& cpu = proposals[2].job_template;
  CHECK(cpu.no_gpus);
  CHECK(cpu.max_walltime ==
        absl::ZeroDuration());  // the partition has no limit
  CHECK(cpu.cpus_per_gpu == 0);
  CHECK(proposals[3].note == "1 node: d1. The partition is down now.");
}

TEST_CASE("template import: the forms in which Slurm writes GPUs",
          "[backend]") {
  const auto proposals = ProposeTemplates(
      ClusterOf({NodeSaying("n1", "gpu:a100:4(S:0-1)"),
                 NodeSaying("n2", "gpu:a100:2(S:0),gpu:h200:2(S:1),shard:8"),
                 NodeSaying("n3", "nic:2,craynetwork:4")}),
      {});
  REQUIRE(proposals.size() == 3);
  CHECK(proposals[0].job_template.gpu_types ==
        std::vector<std::string>{"a100"});
  CHECK(proposals[0].job_template.max_gpus_per_node == 4);
  CHECK(proposals[0].job_template.cpus_per_gpu == 8);
  CHECK(proposals[1].job_template.gpu_types ==
        std::vector<std::string>{"h200"});
  CHECK(proposals[1].job_template.max_gpus_per_node == 2);
  // The node's other two GPUs have their share of it, too.
  CHECK(proposals[1].job_template.cpus_per_gpu == 8);
  CHECK(proposals[2].job_template.no_gpus);
  CHECK(proposals[2].note == "1 node: n3.");
}

TEST_CASE("template import: GPUs without a type", "[backend]") {
  const auto alone = ProposeTemplates(
      ClusterOf({NodeSaying("n1", "gpu:(null):3(IDX:0-2)")}), {});
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].job_template.name == "main GPU");
  CHECK(alone[0].job_template.gpu_types.empty());
  CHECK_FALSE(alone[0].job_template.no_gpus);
  CHECK(alone[0].job_template.max_gpus_per_node == 3);
  // Untyped GPUs beside typed ones cannot be selected.
  const auto mixed = ProposeTemplates(
      ClusterOf({NodeSaying("n1", "gpu:3"), NodeSaying("n2", "gpu:a100:1")}),
      {});
  REQUIRE(mixed.size() == 1);
  CHECK(mixed[0].job_template.gpu_types == std::vector<std::string>{"a100"});
  CHECK(mixed[0].note ==
        "1 node: n2. GPUs without a type cannot be asked for apart: n1.");
}

TEST_CASE("template import: nodes out of service count, and are named",
          "[backend]") {
  // MIXED+DRAIN: running jobs continue, and no job starts.
  SlurmSnapshot cluster = ClusterOf(
      {NodeSaying("n1", "gpu:a100:4"), NodeSaying("n2", "gpu:a100:8", 16)});
  cluster.nodes[1].up = false;
  const auto proposals = ProposeTemplates(cluster, {});
  REQUIRE(proposals.size() == 1);
  CHECK(proposals[0].job_template.max_nodes == 2);
  CHECK(proposals[0].job_template.max_gpus_per_node == 8);
  CHECK(proposals[0].job_template.cpus_per_gpu == 2);
  CHECK(proposals[0].note == "2 nodes: n1, n2. Out of service now: n2.");
}

TEST_CASE("template import: lists the suggestions that exist", "[backend]") {
  auto proposals = ProposeTemplates(SmallCluster(), {});
  REQUIRE(proposals.size() == 4);
  TemplateRecord taken{.job_template = proposals[1].job_template};
  taken.job_template.name = "Old GPUs";
  proposals = ProposeTemplates(SmallCluster(), {taken});
  CHECK_FALSE(proposals[0].known);
  CHECK(proposals[1].known);
}

}  // namespace
}  // namespace carme::backend
