// Calls to carme-metrics, which receives no session and no token.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::kKnownAccessToken;
using testing::kKnownToken;
using testing::PortalFixture;
using testing::SessionHeader;

constexpr char kGet[] = "MetricsService/GetJobMetrics";
constexpr char kJob[] = R"({"jobId":"mine"})";

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("metrics: a portal without carme-metrics says so", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer = portal.Call(kGet, kJob, SessionHeader());
  CHECK(answer.status == 400);
  CHECK(Has(answer.body, "CLUSTERS_METRICS_NOT_OFFERED"));
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("metrics: a further cluster has none", "[frontend]") {
  PortalFixture portal({.two_clusters = true, .metrics = true});
  const HttpAnswer answer = portal.Call(
      kGet, kJob, absl::StrCat(SessionHeader(), "Carme-Cluster: beta\r\n"));
  CHECK(Has(answer.body, "CLUSTERS_METRICS_NOT_OFFERED"));
  CHECK(portal.metrics().calls() == 0);
  CHECK(portal.beta().calls() == 0);
}

TEST_CASE("metrics: samplers and carme-metrics' own calls are not for browsers",
          "[frontend]") {
  PortalFixture portal({.metrics = true});
  for (const char* method :
       {"SampleService/WriteSamples", "SampleService/StreamSamples",
        "MetricsAccessService/GetMeasuredJob",
        "MetricsAccessService/AuthorizeMetrics", "GpuUseService/ListJudgedJobs",
        "GpuUseService/ReportGpuUse"}) {
    CAPTURE(method);
    CHECK(portal.Call(method, "{}", SessionHeader()).status == 404);
  }
  CHECK(portal.metrics().calls() == 0);
}

TEST_CASE("metrics: carme-metrics receives an assertion and no credential",
          "[frontend]") {
  PortalFixture portal({.metrics = true});
  const HttpAnswer answer = portal.Call(kGet, kJob, SessionHeader());
  CHECK(answer.status == 200);
  CHECK(Has(answer.body, "\"name\":\"mine\""));
  const auto metadata = portal.metrics().metadata();
  CHECK(metadata.at("carme-assertion") == "program:metrics-1");
  for (const auto& [name, value] : metadata) {
    CHECK_FALSE(Has(value, kKnownToken));
  }
  // By an access token, too.
  const HttpAnswer script = portal.Call(
      kGet, kJob,
      absl::StrCat("Authorization: Bearer ", kKnownAccessToken, "\r\n"));
  CHECK(script.status == 200);
  CHECK_FALSE(portal.metrics().metadata().contains("carme-token"));
}

TEST_CASE("metrics: without a session there are none", "[frontend]") {
  PortalFixture portal({.metrics = true});
  CHECK(portal.Call(kGet, kJob).status == 401);
  CHECK(portal.Call(kGet, kJob, SessionHeader("s-unknown-0000000000")).status ==
        401);
  CHECK(portal.metrics().calls() <= 1);
}

TEST_CASE("metrics: an assertion is replaced after it was refused",
          "[frontend]") {
  PortalFixture portal({.metrics = true});
  REQUIRE(portal.Call(kGet, kJob, SessionHeader()).status == 200);
  portal.metrics().RefuseAssertions(1);
  CHECK(portal.Call(kGet, kJob, SessionHeader()).status == 200);
  portal.metrics().RefuseAssertions(1000);
  const HttpAnswer answer = portal.Call(kGet, kJob, SessionHeader());
  CHECK(answer.status == 503);
  CHECK(Has(answer.body, "carme-metrics does not accept your log-in"));
}

TEST_CASE("metrics: everything else works without carme-metrics",
          "[frontend]") {
  PortalFixture portal({.timeout = absl::Milliseconds(100), .metrics = true});
  portal.metrics().Stop();
  const HttpAnswer answer = portal.Call(kGet, kJob, SessionHeader());
  CHECK(answer.status == 503);
  CHECK(Has(answer.body, "metrics of jobs are not available now"));
  CHECK(portal.Call("JobService/GetJob", kJob, SessionHeader()).status == 200);
}

}  // namespace
}  // namespace carme::frontend
