// Jobs keep away from nodes that rules avoid, if there are enough others.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

using Names = std::vector<std::string>;

struct AvoidingCluster {
  Decision About(const JobSpec& spec, std::set<std::string> avoided) {
    return Check({.spec = spec,
                  .uid = Uid(20001),
                  .limits = limits,
                  .apps = &apps,
                  .images = &images,
                  .cluster = &cluster,
                  .avoided_nodes = std::move(avoided)});
  }
  SlurmSnapshot cluster = SmallCluster();
  Limits limits{.max_gpus_per_job = 16,
                .max_running_jobs = 2,
                .max_walltime = absl::Hours(6)};
  std::vector<App> apps = {{.id = "jupyter",
                            .name = "Jupyter",
                            .icon = "app",
                            .description = "",
                            .command = {"jupyter"},
                            .ready_path = "/",
                            .environment = {}}};
  std::vector<Image> images = {{.id = "base:1",
                                .description = "",
                                .path = "/images/base.sif",
                                .sha256 = "",
                                .apps = {},
                                .mounts = {},
                                .environment = {}}};
};

TEST_CASE("policy: a job may use avoided nodes if too few are left",
          "[backend]") {
  AvoidingCluster asked;
  // Only v1 has V100, only a1 and a2 have A100.
  CHECK(asked.About({.gpus_per_node = 1, .gpu_type = "v100"}, {"v1"})
            .excluded_nodes.empty());
  const Decision two =
      asked.About({.nodes = 2, .gpus_per_node = 1, .gpu_type = "a100"}, {"a1"});
  CHECK(two.violations.empty());
  CHECK(two.excluded_nodes.empty());
  CHECK(asked.About({}, {"a1", "a2", "v1"}).excluded_nodes.empty());
}

TEST_CASE("policy: a node that is down is none of those that are left",
          "[backend]") {
  AvoidingCluster asked;
  asked.cluster.nodes[1].up = false;
  const Decision decision =
      asked.About({.gpus_per_node = 1, .gpu_type = "a100"}, {"a1"});
  CHECK(decision.violations.empty());
  CHECK(decision.excluded_nodes.empty());
}

TEST_CASE("policy: avoided nodes refuse no job", "[backend]") {
  AvoidingCluster asked;
  const Decision decision = asked.About({.gpus_per_node = 8}, {"v1"});
  CHECK(decision.violations.empty());
  CHECK(decision.excluded_nodes.empty());
}

TEST_CASE("policy: a job keeps away from avoided nodes of its partition",
          "[backend]") {
  AvoidingCluster asked;
  CHECK(asked.About({.gpus_per_node = 1}, {"a1", "c1"}).excluded_nodes ==
        Names{"a1"});
  CHECK(asked.About({}, {"v1", "a1"}).excluded_nodes == Names{"a1", "v1"});
}

}  // namespace
}  // namespace carme::backend
