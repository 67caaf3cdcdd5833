#include "backend/metrics/ingest/sample_rules.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/status_matchers.h"

namespace carme::metrics {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

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
  v1::WriteSamplesRequest request = OneSeries(kJob, kNow, {1, 2});
  v1::SampleSeries* series = request.mutable_nodes(0)->mutable_series(0);
  REQUIRE(IsValidSeries(*series));
  SECTION("a value without a time") { series->add_values(3); }
  SECTION("a label of the database") {
    (*series->mutable_labels())["job"] = kOtherJob;
  }
  SECTION("a value with a line break") {
    (*series->mutable_labels())["gpu"] = "0\nup 1";
  }
  SECTION("a value that is too long") {
    (*series->mutable_labels())["gpu"] = std::string(kMaxLabelBytes + 1, 'x');
  }
  SECTION("too many labels") {
    for (int i = 0; i <= kMaxLabels; ++i) {
      (*series->mutable_labels())[absl::StrCat("l", i)] = "x";
    }
  }
  CHECK_FALSE(IsValidSeries(*series));
}

TEST_CASE("sample rules: refuse requests beyond the limits", "[metrics]") {
  v1::WriteSamplesRequest request = OneSeries(kJob, kNow, {1});
  REQUIRE_THAT(CheckRequest(request), IsOk());
  std::string why;
  SECTION("series") {
    for (int i = 0; i < kMaxRequestSeries; ++i) {
      request.mutable_nodes(0)->add_series();
    }
    why = "4097 series";
  }
  SECTION("samples") {
    for (int i = 0; i < kMaxRequestSamples; ++i) {
      request.mutable_nodes(0)->mutable_series(0)->add_values(1);
    }
    why = "60001 samples";
  }
  SECTION("nodes") {
    for (int i = 0; i < kMaxRequestNodes; ++i) *request.add_nodes() = {};
    why = "257 nodes";
  }
  SECTION("the name of a node") {
    request.mutable_nodes(0)->set_node("n1\"} or up{");
    why = "node 0";
  }
  CHECK_THAT(CheckRequest(request),
             StatusIs(absl::StatusCode::kInvalidArgument, why));
}

}  // namespace
}  // namespace carme::metrics
