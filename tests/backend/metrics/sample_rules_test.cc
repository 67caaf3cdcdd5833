#include "backend/metrics/ingest/sample_rules.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/backend/metrics/samples.h"

namespace carme::metrics {
namespace {

TEST_CASE("sample rules: refuse hostile names of series", "[metrics]") {
  for (const std::string name :
       {"", "Up", "1up", "_up", "a-b", "a b", "a{job=\"x\"}", "a\n", "a\"",
        "__name__", "é", "job:a"}) {
    CAPTURE(name);
    CHECK_FALSE(IsSeriesName(name));
  }
  CHECK_FALSE(IsSeriesName(std::string(kMaxNameBytes + 1, 'a')));
  CHECK(IsSeriesName("carme_job_cpu_seconds_total"));
}

TEST_CASE("sample rules: refuse the labels that carme-metrics sets",
          "[metrics]") {
  for (const char* name : {"job", "node", "__name__", "Gpu", "le ", ""}) {
    CAPTURE(name);
    CHECK_FALSE(IsLabelName(name));
  }
  CHECK(IsLabelName("gpu"));
}

TEST_CASE("sample rules: refuse malformed series", "[metrics]") {
  std::vector<SampleLabel> labels = {{"gpu", "0"}};
  REQUIRE(IsValidSeries("carme_a", labels));
  CHECK_FALSE(IsValidSeries("Carme", labels));
  const std::string too_long(kMaxLabelBytes + 1, 'x');
  SECTION("a label of the database") { labels[0] = {"job", kOtherJob}; }
  SECTION("a value with a line break") { labels[0].value = "0\nup 1"; }
  SECTION("a value that is too long") { labels[0].value = too_long; }
  SECTION("too many labels") { labels.resize(kMaxLabels + 1, {"a", "x"}); }
  CHECK_FALSE(IsValidSeries("carme_a", labels));
}

}  // namespace
}  // namespace carme::metrics
