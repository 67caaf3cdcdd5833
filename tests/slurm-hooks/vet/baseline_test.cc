#include "slurm-hooks/vet/config/baseline.h"

#include <catch2/catch.hpp>

#include "slurm-hooks/vet/coordination/coordinator.h"
#include "tests/support/status_matchers.h"

namespace carme::vet {
namespace {

TEST_CASE("vet baseline: refuses a broken file with its line", "[vet]") {
  CHECK_THAT(ParseBaseline("\"A\":\n  nodes: many\n", "b.yaml"),
             StatusIs(absl::StatusCode::kInvalidArgument, "b.yaml:2: "));
  CHECK_THAT(ParseBaseline("A: 1\n", "b.yaml"),
             StatusIs(absl::StatusCode::kInvalidArgument, "b.yaml:1: "));
}

TEST_CASE("vet baseline: learns medians, and is read back", "[vet]") {
  Baseline baseline;
  const std::string type = "CPU \"X\" \\ 8 CPUs";
  Learn({{type, {{"cpu_gflops", 10}}},
         {type, {{"cpu_gflops", 1000}}},
         {type, {{"cpu_gflops", 12}}}},
        &baseline);
  CHECK(baseline[type].nodes == 3);
  CHECK(baseline[type].metrics["cpu_gflops"] == 12);
  Learn({{type, {{"cpu_gflops", 8}}}}, &baseline);
  CHECK(baseline[type].metrics["cpu_gflops"] == Approx(11));
  const auto read = ParseBaseline(FormatBaseline(baseline), "b.yaml");
  REQUIRE_THAT(read, IsOk());
  CHECK(read->at(type).nodes == 4);
  CHECK(read->at(type).metrics.at("cpu_gflops") == Approx(11));
}

TEST_CASE("vet baseline: a slow node of a known type is named", "[vet]") {
  Baseline baseline;
  baseline["A"] = {5, {{"cpu_gflops", 100}, {"memory_bytes_per_second", 50}}};
  bool found = false;
  CHECK(
      CompareWithBaseline(baseline, {"A", {{"cpu_gflops", 79}}}, 0.8, &found) ==
      "cpu_gflops is 79 % of the baseline of node type \"A\": expected at "
      "least 80 %");
  CHECK(CompareWithBaseline(baseline, {"A", {{"cpu_gflops", 81}}}, 0.8, &found)
            .empty());
  CHECK(found);
  CHECK(CompareWithBaseline(baseline, {"B", {{"cpu_gflops", 1}}}, 0.8, &found)
            .empty());
  CHECK_FALSE(found);
}

TEST_CASE("vet clock: one wrong clock does not move the others", "[vet]") {
  CHECK(OffsetsFromMedian({}).empty());
  CHECK(OffsetsFromMedian({0, 9, 0.5}) == std::vector<double>{-0.5, 8.5, 0});
  CHECK(OffsetsFromMedian({100, 0, 0, 0}) == std::vector<double>{100, 0, 0, 0});
  CHECK(OffsetsFromMedian({0, -5}) == std::vector<double>{0, -5});
}

}  // namespace
}  // namespace carme::vet
