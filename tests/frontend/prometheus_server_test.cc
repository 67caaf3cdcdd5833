// Prometheus' HTTP API of the portal.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "common/protobuf/message_error.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::kKnownAccessToken;
using testing::PortalFixture;
using testing::Request;
using testing::SessionHeader;

constexpr char kPath[] = "/prometheus/api/v1/";
constexpr char kFormHeader[] =
    "Content-Type: application/x-www-form-urlencoded\r\n";

std::string TokenHeader(const std::string& token = kKnownAccessToken) {
  return absl::StrCat("Authorization: Bearer ", token, "\r\n");
}

HttpAnswer Get(const PortalFixture& portal, const std::string& target,
               const std::string& headers = TokenHeader()) {
  return HttpClient(portal.port())
      .Ask(Request("GET", absl::StrCat(kPath, target), headers));
}

HttpAnswer Post(const PortalFixture& portal, const std::string& target,
                const std::string& form,
                const std::string& headers = TokenHeader()) {
  return HttpClient(portal.port())
      .Ask(Request("POST", absl::StrCat(kPath, target),
                   absl::StrCat(headers, kFormHeader), form));
}

std::string ErrorJson(const std::string& type) {
  return absl::StrCat(R"({"status":"error","errorType":")", type,
                      R"(","error":")");
}

TEST_CASE("prometheus API: needs an access token", "[frontend]") {
  PortalFixture portal({.metrics = true});
  for (const std::string& headers :
       {std::string(), SessionHeader(),
        SessionHeader() + "Origin: https://carme.test\r\n",
        std::string("Authorization: Basic YWRhOng=\r\n"),
        TokenHeader("carme_short"),
        TokenHeader("carme_" + std::string(43, 'x')),
        TokenHeader(std::string(kKnownAccessToken) + "x")}) {
    CAPTURE(headers);
    for (const char* target :
         {"query?query=1%2B1", "labels", "metadata", "status/buildinfo",
          "label/job/values", "series?match[]=a"}) {
      CAPTURE(target);
      const HttpAnswer answer = Get(portal, target, headers);
      CHECK(answer.status == 401);
      CHECK(answer.body.starts_with(ErrorJson("unauthorized")));
      CHECK(answer.Header("www-authenticate") == "Bearer");
      CHECK(answer.Header("set-cookie").empty());
    }
    CHECK(Post(portal, "query", "query=1", headers).status == 401);
  }
  CHECK(portal.metrics().calls() == 0);
}

TEST_CASE("prometheus API: errors have Prometheus' form", "[frontend]") {
  PortalFixture portal({.metrics = true});
  // Reasons of carme-metrics that the code alone does not say.
  const auto reason = [](absl::StatusCode code, const char* name) {
    return MakeError(ErrorTemplate{code, name, "why"});
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
  struct Row {
    absl::Status status;
    int http;
    std::string type;
  };
  const std::vector<Row> rows = {
      {absl::InvalidArgumentError("why"), 400, "bad_data"},
      {absl::PermissionDeniedError("why"), 403, "forbidden"},
      {absl::NotFoundError("why"), 404, "not_found"},
      {absl::ResourceExhaustedError("why"), 429, "too_many_requests"},
      {absl::UnavailableError("why"), 503, "unavailable"},
      {absl::DeadlineExceededError("why"), 503, "timeout"},
      {reason(kInvalid, "METRICS_DATABASE_REFUSED"), 422, "execution"},
      {reason(kExhausted, "METRICS_ANSWER_TOO_LARGE"), 422, "execution"},
      {reason(kExhausted, "METRICS_TOO_MANY_QUERIES"), 503, "timeout"},
      {reason(kInvalid, "METRICS_TOO_MANY_POINTS"), 400, "bad_data"}};
  for (const Row& row : rows) {
    CAPTURE(row.status.ToString());
    portal.metrics().SetPrometheus(
        [&](const v1::QueryPrometheusRequest&) { return row.status; });
    const HttpAnswer answer = Get(portal, "query?query=a");
    CHECK(answer.status == row.http);
    CHECK(answer.body.starts_with(ErrorJson(row.type)));
    CHECK(answer.Header("content-type") == "application/json");
    CHECK(answer.Header("cache-control") == "no-store");
  }
}

TEST_CASE("prometheus API: refuses invalid requests", "[frontend]") {
  PortalFixture portal({.metrics = true});
  const HttpAnswer no_query = Get(portal, "query");
  CHECK(no_query.status == 400);
  CHECK(no_query.body.starts_with(ErrorJson("bad_data")));
  CHECK(Get(portal, "rules").status == 404);
  CHECK(Get(portal, "rules").body.starts_with(ErrorJson("not_found")));
  CHECK(HttpClient(portal.port())
            .Ask(Request("POST", absl::StrCat(kPath, "query"),
                         TokenHeader() + "Content-Type: text/plain\r\n",
                         "query=1"))
            .status == 415);
  CHECK(
      HttpClient(portal.port())
          .Ask(Request("DELETE", absl::StrCat(kPath, "series"), TokenHeader()))
          .status == 405);
  CHECK(portal.metrics().calls() == 0);
}

TEST_CASE("prometheus API: a portal without carme-metrics says so",
          "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer = Get(portal, "query?query=1");
  CHECK(answer.status == 400);
  CHECK(answer.body.starts_with(ErrorJson("bad_data")));
}

TEST_CASE("prometheus API: the token's owner asks, not a cookie's",
          "[frontend]") {
  PortalFixture portal({.metrics = true});
  CHECK(Get(portal, "query?query=1", TokenHeader() + SessionHeader()).status ==
        200);
  const auto metadata = portal.metrics().metadata();
  CHECK(metadata.at("carme-assertion") == "program:metrics-1");
  CHECK_FALSE(metadata.contains("carme-session"));
  CHECK_FALSE(metadata.contains("carme-token"));
}

TEST_CASE("prometheus API: passes what is asked and answers with its data",
          "[frontend]") {
  PortalFixture portal({.metrics = true});
  absl::Mutex mutex;
  v1::QueryPrometheusRequest asked;
  portal.metrics().SetPrometheus([&](const v1::QueryPrometheusRequest& request)
                                     -> absl::StatusOr<std::string> {
    absl::MutexLock lock(&mutex);
    asked = request;
    return R"(["\u003ca\u003e","ä"])";
  });
  const HttpAnswer answer =
      Post(portal, "query_range",
           "query=rate%28a%5B5m%5D%29&start=10&end=20&step=5");
  CHECK(answer.status == 200);
  CHECK(answer.body == R"({"status":"success","data":["\u003ca\u003e","ä"]})");
  CHECK(answer.Header("content-type") == "application/json");
  CHECK(answer.Header("cache-control") == "no-store");
  absl::MutexLock lock(&mutex);
  CHECK(asked.range().query() == "rate(a[5m])");
  CHECK(asked.range().from_ms() == 10'000);
  CHECK(asked.range().step_ms() == 5000);
}

TEST_CASE("prometheus API: a client's timeout ends its query", "[frontend]") {
  PortalFixture portal({.metrics = true});
  portal.metrics().SetPrometheus([](const v1::QueryPrometheusRequest&) {
    absl::SleepFor(absl::Seconds(2));
    return "{}";
  });
  const HttpAnswer answer = Get(portal, "query?query=1&timeout=200ms");
  CHECK(answer.status == 503);
  CHECK(answer.body.starts_with(ErrorJson("unavailable")));
}

}  // namespace
}  // namespace carme::frontend
