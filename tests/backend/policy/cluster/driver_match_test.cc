#include "backend/policy/cluster/driver_match.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

Image ImageNeeding(const std::string& driver, const std::string& cuda = "") {
  Image image;
  image.id = "cuda:12";
  image.driver = driver;
  image.cuda = cuda;
  return image;
}

struct Asked {
  Asked() {
    apps.emplace_back().id = "jupyter";
    cluster.nodes[0].driver = "535.104.05";  // a1
    cluster.nodes[1].driver = "560.35";      // a2
    cluster.nodes[1].cuda = "12.6";
  }
  Decision About(const JobSpec& spec, const Image& image) {
    const std::vector<Image> images = {image};
    return Check(
        {.spec = spec, .apps = &apps, .images = &images, .cluster = &cluster});
  }
  // In an environment that has this image.
  Decision AboutEnvironment(JobSpec spec, const Image& image) {
    std::vector<Image> images = {Image(), image};
    images[0].id = "other:1";
    spec.environment = "torch";
    return Check({.spec = spec,
                  .uid = Uid(20001),
                  .apps = &apps,
                  .images = &images,
                  .cluster = &cluster,
                  .environment_image = image.id});
  }
  std::vector<App> apps;
  SlurmSnapshot cluster = SmallCluster();
};

TEST_CASE("driver match: refuses invalid and too old versions", "[backend]") {
  for (const char* text :
       {"", "v550", "550.", ".1", "1..2", "550.x", "-1", "1 2",
        "123456789012345678901234567890123", "99999999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(IsVersion(text));
    CHECK_FALSE(IsAtLeast(text, "0"));
  }
  CHECK(IsVersion("550.54.14"));
}

TEST_CASE("driver match: versions are compared number by number", "[backend]") {
  CHECK_FALSE(IsAtLeast("535.104.05", "550"));
  CHECK_FALSE(IsAtLeast("550", "550.1"));
  CHECK_FALSE(IsAtLeast("99.9", "535"));  // not letter by letter
  CHECK(IsAtLeast("535.104.05", "535.104.5"));
  CHECK(IsAtLeast("550.54.14", "550.54"));
  CHECK(IsAtLeast("12.10", "12.9"));
}

TEST_CASE("driver match: no node new enough is refused with both versions",
          "[backend]") {
  Asked asked;
  const Decision decision =
      asked.About({.gpus_per_node = 1, .gpu_type = "a100", .partition = "main"},
                  ImageNeeding("570"));
  REQUIRE(decision.violations.size() == 1);
  const Violation& violation = decision.violations[0];
  CHECK(violation.field == "image");
  CHECK(violation.limit == "driver");
  CHECK(violation.value == "570");
  CHECK(violation.source.text == "image cuda:12");
  CHECK(violation.message.text ==
        "nodes of partition \"main\" with such GPUs have driver "
        "\"535.104.05\", \"560.35\": image \"cuda:12\" expects at least "
        "\"570\"");
  CHECK_THAT(StatusOf(decision.violations),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_CASE("driver match: refuses nodes without a driver feature", "[backend]") {
  Asked asked;
  const Decision decision = asked.About(
      {.gpus_per_node = 1, .gpu_type = "v100"}, ImageNeeding("535", "12.0"));
  REQUIRE(decision.violations.size() == 2);
  CHECK_THAT(decision.violations[0].message.text,
             Catch::Contains("have no driver version in Slurm"));
  CHECK(decision.violations[1].limit == "cuda");
}

TEST_CASE("driver match: a job keeps away from nodes that are too old",
          "[backend]") {
  Asked asked;
  const Decision decision =
      asked.About({.gpus_per_node = 1}, ImageNeeding("550"));
  CHECK(decision.violations.empty());
  CHECK(decision.excluded_nodes == std::vector<std::string>{"a1", "v1"});
  // The size is judged by the nodes that are left: v1 alone has 8 GPUs.
  const Decision large = asked.About({.gpus_per_node = 8}, ImageNeeding("550"));
  REQUIRE(large.violations.size() == 1);
  CHECK(large.violations[0].field == "gpusPerNode");
}

TEST_CASE("driver match: an environment needs what its image needs",
          "[backend]") {
  Asked asked;
  const JobSpec spec = {
      .gpus_per_node = 1, .gpu_type = "a100", .partition = "main"};
  const Decision refused = asked.AboutEnvironment(spec, ImageNeeding("570"));
  REQUIRE(refused.violations.size() == 1);
  CHECK(refused.violations[0].field == "environment");
  CHECK_THAT(refused.violations[0].message.text,
             Catch::Contains("\"535.104.05\", \"560.35\": image \"cuda:12\" "
                             "expects at least \"570\""));
  const Decision allowed = asked.AboutEnvironment(spec, ImageNeeding("550"));
  CHECK(allowed.violations.empty());
  CHECK(allowed.excluded_nodes == std::vector<std::string>{"a1", "v1"});
  CHECK(allowed.spec.image.empty());
}

TEST_CASE("policy: an environment may not use another user's image",
          "[backend]") {
  Asked asked;
  Image image = ImageNeeding("570");
  image.owner = "bob";
  image.owner_uid = Uid(20002);
  const Decision refused = asked.AboutEnvironment({.gpus_per_node = 1}, image);
  REQUIRE(refused.violations.size() == 1);
  CHECK(refused.violations[0].field == "environment");
  CHECK(refused.violations[0].message.text ==
        "environment \"torch\" has image \"cuda:12\" of user \"bob\": expected "
        "one of the site's, or your own");
  image.owner_uid = Uid(20001);
  image.driver.clear();
  CHECK(asked.AboutEnvironment({.gpus_per_node = 1}, image).violations.empty());
}

TEST_CASE("driver match: a job without GPUs needs no driver", "[backend]") {
  Asked asked;
  const Decision decision = asked.About({}, ImageNeeding("570", "13"));
  CHECK(decision.violations.empty());
  CHECK(decision.excluded_nodes.empty());
}

}  // namespace
}  // namespace carme::backend
