#include "frontend/prometheus_request.h"

#include <catch2/catch.hpp>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace carme::frontend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

HttpRequest Get(const std::string& endpoint, const std::string& query = "") {
  return {.method = "GET",
          .path = absl::StrCat(kPrometheusPath, endpoint),
          .query = query};
}

HttpRequest Post(
    const std::string& endpoint, const std::string& body,
    const std::string& type = "application/x-www-form-urlencoded") {
  HttpRequest request = Get(endpoint);
  request.method = "POST";
  request.body = body;
  request.headers.Set("content-type", type);
  return request;
}

// The refusal's status; 0: none.
int StatusOf(const HttpRequest& request) {
  const auto result = ParsePrometheusRequest(request, kNow);
  const auto* error = std::get_if<HttpError>(&result);
  return error == nullptr ? 0 : error->status;
}

PrometheusRequest Parse(const HttpRequest& request) {
  auto result = ParsePrometheusRequest(request, kNow);
  if (const auto* error = std::get_if<HttpError>(&result)) {
    FAIL(error->message);
  }
  return std::get<PrometheusRequest>(result);
}

TEST_CASE("prometheus request: other endpoints are not offered", "[frontend]") {
  for (const char* endpoint :
       {"", "query/", "Query", "rules", "alerts", "targets", "status/config",
        "status/tsdb", "status/flags", "admin/tsdb/delete_series", "write",
        "read", "export", "label/", "label//values", "label/values", "federate",
        "query_exemplars", "%71uery"}) {
    CAPTURE(endpoint);
    CHECK(StatusOf(Get(endpoint, "query=1&match[]=a")) == 404);
    CHECK(StatusOf(Post(endpoint, "query=1&match[]=a")) == 404);
  }
}

TEST_CASE("prometheus request: refuses invalid parameters", "[frontend]") {
  const std::string range = "query=1&start=1&end=2";
  for (const HttpRequest& request :
       {Get("query"),
        Get("query", "query="),
        Get("query", "query=%"),
        Get("query", "query=%4"),
        Get("query", "query=%zz"),
        Get("query", "query=%ff"),
        Get("query", "query=1&time=x"),
        Get("query", "query=1&time=nan"),
        Get("query", "query=1&timeout=x"),
        Get("query", "query=1&timeout=0"),
        Get("query", "query=1&timeout=-5s"),
        Get("query_range", range),
        Get("query_range", "query=1&step=1"),
        Get("query_range", range + "&step=0"),
        Get("query_range", range + "&step=-1"),
        Get("query_range", range + "&step=nan"),
        Get("query_range", range + "&step=inf"),
        Get("query_range", range + "&step=1x"),
        Get("query_range", range + "&step=s"),
        Get("query_range", "query=1&start=x&end=2&step=1"),
        Get("series"),
        Get("series", "match[]="),
        Get("labels", "start=yesterday")}) {
    CAPTURE(request.path, request.query);
    CHECK(StatusOf(request) == 400);
  }
  std::string many = "query=1";
  for (int i = 0; i < 64; ++i) many += "&a=b";
  CHECK(StatusOf(Get("query", many)) == 400);
  CHECK(StatusOf(Post("query", many)) == 400);
}

TEST_CASE("prometheus request: a body is a form", "[frontend]") {
  for (const char* type :
       {"", "application/json", "text/plain", "multipart/form-data"}) {
    CAPTURE(type);
    CHECK(StatusOf(Post("query", "query=1", type)) == 415);
  }
  CHECK(StatusOf(Post("query", "query=1",
                      "Application/x-www-form-urlencoded; charset=utf-8")) ==
        0);
}

TEST_CASE("prometheus request: reads a query at one time", "[frontend]") {
  const PrometheusRequest now = Parse(Get("query", "query=1%2B1"));
  CHECK(now.call.instant().query() == "1+1");
  CHECK(now.call.instant().time_ms() == 1'700'000'000'000);
  CHECK_FALSE(now.timeout);
  CHECK(now.fixed_data.empty());
  const PrometheusRequest then = Parse(Post(
      "query", "query=sum+by+(node)+(a)&time=1600000000.25&timeout=1m30s"));
  CHECK(then.call.instant().query() == "sum by (node) (a)");
  CHECK(then.call.instant().time_ms() == 1'600'000'000'250);
  CHECK(then.timeout == absl::Seconds(90));
  CHECK(Parse(Get("query", "query=a&time=2023-11-14T22:13:20Z"))
            .call.instant()
            .time_ms() == 1'700'000'000'000);
}

TEST_CASE("prometheus request: reads a query of a range", "[frontend]") {
  const auto range =
      Parse(Post("query_range", "query=a&start=1000&end=1060.5&step=15"))
          .call.range();
  CHECK(range.query() == "a");
  CHECK(range.from_ms() == 1'000'000);
  CHECK(range.to_ms() == 1'060'500);
  CHECK(range.step_ms() == 15'000);
  CHECK(Parse(Get("query_range", "query=a&start=1&end=2&step=1m500ms"))
            .call.range()
            .step_ms() == 60'500);
}

TEST_CASE("prometheus request: far times mean all times", "[frontend]") {
  // As promtool sends them without times.
  const auto search =
      Parse(
          Get("labels", "start=-9223309901257974.000&end=9223309901257974.000"))
          .call.labels();
  CHECK(search.from_ms() == 0);
  CHECK(search.to_ms() == 100'000'000'000'000);
  CHECK(Parse(Get("labels")).call.labels().to_ms() == 0);
}

TEST_CASE("prometheus request: reads searches", "[frontend]") {
  const PrometheusRequest series =
      Parse(Post("series", "match[]=a&match%5B%5D=%7Bx%3D%22y%22%7D&limit=5"));
  REQUIRE(series.call.series().matches_size() == 2);
  CHECK(series.call.series().matches(0) == "a");
  CHECK(series.call.series().matches(1) == "{x=\"y\"}");
  const PrometheusRequest values =
      Parse(Get("label/__name__/values", "match[]=a"));
  CHECK(values.call.label_values().label() == "__name__");
  CHECK(values.call.label_values().matches_size() == 1);
  // carme-metrics refuses what is no label.
  CHECK(Parse(Get("label/a/b/values")).call.label_values().label() == "a/b");
}

TEST_CASE("prometheus request: the form comes before the address",
          "[frontend]") {
  HttpRequest request = Post("query", "query=form");
  request.query = "query=address&time=5";
  const PrometheusRequest parsed = Parse(request);
  CHECK(parsed.call.instant().query() == "form");
  CHECK(parsed.call.instant().time_ms() == 5000);
}

TEST_CASE("prometheus request: fixed answers check the token", "[frontend]") {
  const PrometheusRequest info = Parse(Get("status/buildinfo"));
  CHECK(info.call.has_check());
  CHECK(info.fixed_data.find("\"version\"") != std::string::npos);
  const PrometheusRequest metadata = Parse(Get("metadata", "limit=1"));
  CHECK(metadata.call.has_check());
  CHECK(metadata.fixed_data == "{}");
}

}  // namespace
}  // namespace carme::frontend
