#include "backend/policy/checks/excluded_nodes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

using Names = std::vector<std::string>;

struct ExcludingCluster {
  Decision About(const JobSpec& spec) {
    return Check({.spec = spec,
                  .uid = Uid(20001),
                  .limits = limits,
                  .apps = &apps,
                  .images = &images,
                  .cluster = &cluster,
                  .joined = joined,
                  .avoided_nodes = avoided});
  }
  // The first message about the field.
  std::string Refusal(const JobSpec& spec) {
    for (const Violation& violation : About(spec).violations) {
      if (violation.field == "excludedNodes") return violation.message.text;
    }
    return "";
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
  std::optional<JoinedJob> joined;
  std::set<std::string> avoided;
};

JobSpec Without(Names nodes) { return {.excluded_nodes = std::move(nodes)}; }

TEST_CASE("excluded nodes: what is not the name of one node is refused",
          "[policy]") {
  ExcludingCluster site;
  for (const char* name : {"", "a1,a2", "a[1-2]", "a1 ", "a1\n", "a1;id",
                           "--exclude", "\xc3\xa4"}) {
    INFO(name);
    const std::string refusal = site.Refusal(Without({"v1", name}));
    if (std::string(name) == "--exclude") {
      CHECK_THAT(refusal, Catch::Contains("does not exist"));
    } else {
      CHECK_THAT(refusal, Catch::Contains("is not a valid name"));
    }
  }
  CHECK_THAT(site.Refusal(Without({std::string(65, 'a')})),
             Catch::Contains("is not a valid name"));
  CHECK(site.Refusal(Without({"a\x1b[2J1"})) ==
        "excluded node \"a?[2J1\" is not a valid name: expected the name of "
        "one node, without brackets");
}

TEST_CASE("excluded nodes: a node twice is refused, and named", "[policy]") {
  ExcludingCluster site;
  CHECK(site.Refusal(Without({"a1", "v1", "a1"})) ==
        "node \"a1\" is excluded twice");
}

TEST_CASE("excluded nodes: more than 64 are refused, however many",
          "[policy]") {
  ExcludingCluster site;
  for (int i = 0; i < 100'000; ++i) {
    site.cluster.nodes.push_back(
        NodeWith(absl::StrCat("n", i), "other", 1, 1024, {}));
  }
  Names nodes;
  for (int i = 0; i < 64; ++i) nodes.push_back(absl::StrCat("n", i));
  CHECK(site.About(Without(nodes)).violations.empty());
  nodes.emplace_back("n64");
  CHECK(site.Refusal(Without(nodes)) ==
        "65 nodes are excluded: expected at most 64");
  for (int i = 65; i < 100'000; ++i) nodes.push_back(absl::StrCat("n", i));
  CHECK(site.About(Without(nodes)).violations.size() == 1);
}

TEST_CASE(
    "excluded nodes: a node that the cluster does not have is refused, "
    "and named",
    "[policy]") {
  ExcludingCluster site;
  const Decision decision = site.About(Without({"a1", "a9"}));
  REQUIRE(decision.violations.size() == 1);
  CHECK(decision.violations[0].message.text ==
        "excluded node \"a9\" does not exist on this cluster");
  CHECK(decision.violations[0].value == "a9");
  // Slurm may have got it since the last poll.
  CHECK(decision.rests_on_resources);
}

TEST_CASE("excluded nodes: refused if the partition has no other node",
          "[policy]") {
  ExcludingCluster site;
  JobSpec spec = Without({"c1"});
  spec.partition = "long";
  CHECK_THAT(site.Refusal(spec),
             Catch::Contains("all nodes of partition \"long\""));
  // x1 is not for jobs of Carme.
  CHECK_THAT(site.Refusal(Without({"a1", "a2", "v1"})),
             Catch::Contains("all nodes of partition \"main\""));
}

TEST_CASE("excluded nodes: refused if too few nodes are left", "[policy]") {
  ExcludingCluster site;
  JobSpec spec = Without({"a1"});
  spec.nodes = 2;
  spec.gpus_per_node = 1;
  spec.gpu_type = "a100";
  const Decision decision = site.About(spec);
  REQUIRE(decision.violations.size() == 1);
  CHECK(decision.violations[0].field == "nodes");
  spec.excluded_nodes = {"v1"};
  CHECK(site.About(spec).violations.empty());
}

TEST_CASE("excluded nodes: refused if Slurm would be given more than 500",
          "[policy]") {
  ExcludingCluster site;
  site.images[0].cuda = "12.0";
  for (int i = 0; i < 600; ++i) {
    SlurmNode node =
        NodeWith(absl::StrCat("n", i), "main", 64, 262144, {{"a100", 4}});
    node.driver = "600.0";
    node.cuda = i < 500 ? "11.0" : "12.4";
    site.cluster.nodes.push_back(node);
  }
  for (SlurmNode& node : site.cluster.nodes) {
    if (node.cuda.empty()) node.cuda = "12.4";
  }
  JobSpec spec{.gpus_per_node = 1};
  CHECK(site.About(spec).violations.empty());
  CHECK(site.About(spec).excluded_nodes.size() == 500);
  spec.excluded_nodes = {"n599"};
  CHECK(site.Refusal(spec) ==
        "the job must not run on 501 nodes, with those that are excluded: "
        "Slurm is given at most 500");
  // One of those on which the image cannot run counts once.
  spec.excluded_nodes = {"n0"};
  CHECK(site.About(spec).violations.empty());
  CHECK(site.About(spec).excluded_nodes.size() == 500);
}

TEST_CASE("excluded nodes: given to Slurm with the others, each once",
          "[policy]") {
  ExcludingCluster site;
  site.avoided = {"a1", "v1"};
  const Decision decision = site.About(Without({"v1", "c1"}));
  CHECK(decision.violations.empty());
  CHECK(decision.excluded_nodes == Names{"a1", "c1", "v1"});
  CHECK(decision.spec.excluded_nodes == Names{"v1", "c1"});
  CHECK(site.About({}).spec.excluded_nodes.empty());
}

}  // namespace
}  // namespace carme::backend
