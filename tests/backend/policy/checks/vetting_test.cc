#include "backend/policy/checks/vetting.h"

#include <catch2/catch.hpp>

namespace carme::backend {
namespace {

JobSpec SpecOf(int nodes, int required) {
  JobSpec spec;
  spec.nodes = nodes;
  spec.required_nodes = required;
  return spec;
}

TEST_CASE("vetting: more healthy nodes than the job has are refused",
          "[policy]") {
  for (const int required : {3, -1}) {
    JobSpec spec = SpecOf(2, required);
    const auto violations = ChooseRequiredNodes(&spec);
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].field == "vetting");
    CHECK(violations[0].value == "2");
  }
}

TEST_CASE("vetting: refused for added nodes and for images", "[policy]") {
  JobSpec linked = SpecOf(2, 1);
  linked.linked_to = "a23456789abcdefg";
  CHECK(ChooseRequiredNodes(&linked).size() == 1);
  JobSpec image = SpecOf(1, 1);
  image.builds = "ada/torch:1";
  CHECK(ChooseRequiredNodes(&image).size() == 1);
}

TEST_CASE("vetting: an array is not submitted again", "[policy]") {
  JobSpec spec = SpecOf(2, 1);
  spec.resubmit = true;
  CHECK(ChooseRequiredNodes(&spec).empty());
  spec.batch.emplace().command = "true";
  CHECK(ChooseRequiredNodes(&spec).empty());
  spec.batch->array = "1-3";
  const auto violations = ChooseRequiredNodes(&spec);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].field == "vetting");
  spec.resubmit = false;
  CHECK(ChooseRequiredNodes(&spec).empty());
}

TEST_CASE("vetting: all nodes are required by default", "[policy]") {
  JobSpec spec = SpecOf(2, 0);
  CHECK(ChooseRequiredNodes(&spec).empty());
  CHECK(spec.required_nodes == 2);
}

TEST_CASE("vetting: a job without it stays without", "[policy]") {
  JobSpec spec;
  spec.nodes = 2;
  CHECK(ChooseRequiredNodes(&spec).empty());
  CHECK_FALSE(spec.required_nodes.has_value());
}

}  // namespace
}  // namespace carme::backend
