#include "backend/metrics/query/promql_restriction.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::metrics {
namespace {

const std::vector<std::string> kJobs = {"jaaaaaaaaaaaaaaa", "jbbbbbbbbbbbbbbb"};
#define JOBS "job=~\"jaaaaaaaaaaaaaaa|jbbbbbbbbbbbbbbb\""

TEST_CASE("PromQL restriction: refuses what is not in its grammar",
          "[metrics]") {
  for (const std::string query : {"",
                                  " ",
                                  "(",
                                  ")",
                                  "a b",
                                  "a{",
                                  "a}",
                                  "a{}}",
                                  "a{x}",
                                  "a{x=y}",
                                  "a{x='y'}",
                                  "a{x=`y`}",
                                  "a{x=\"y}",
                                  "a{x=\"y\" or z=\"w\"}",
                                  "a{x=\"\\x41\"}",
                                  "a{\"a\"=\"b\"}",
                                  "a{x=\"y\"",
                                  "a[5m",
                                  "a[5]",
                                  "a[5m:1m]",
                                  "a[$__interval]",
                                  "a offset -5m",
                                  "a @ 5",
                                  "a @ end()",
                                  "a # comment",
                                  "a\x01",
                                  "a;b",
                                  "a or",
                                  "or a",
                                  "1 +",
                                  "- - 1",
                                  "5m",
                                  "0x10",
                                  "1e",
                                  ".",
                                  "inf",
                                  "nan",
                                  "a{__graphite__=\"*\"}",
                                  "a{__x=\"y\"}",
                                  "sum by (__graphite__) (a)",
                                  "with (x = a) x",
                                  "WITH (x = a) x",
                                  "a * on (x) group_left (y) b",
                                  "group_left",
                                  "by (x)",
                                  "a{x=\"y\",,}",
                                  "sum(a) by (x) by (y)",
                                  "\"text\"",
                                  "a \"text\"",
                                  "{x=\"y\"}{x=\"z\"}",
                                  "a{x=\"\n\"}",
                                  "a{x=~}",
                                  "a{x==\"y\"}",
                                  "label_set(a, \"job\", \"x\")",
                                  "union(a, b)",
                                  "absent_over_time(a[5m])",
                                  "alias(a, \"b\")",
                                  "sum(a",
                                  "rate(a[5m]))",
                                  "a{job=\"x\"} + \xff"}) {
    CAPTURE(query);
    CHECK_THAT(RestrictPromql(query, kJobs),
               StatusIs(absl::StatusCode::kInvalidArgument, "character"));
  }
}

TEST_CASE("PromQL restriction: bounds length and depth", "[metrics]") {
  CHECK_THAT(RestrictPromql(std::string(kMaxPromqlBytes + 1, 'a'), kJobs),
             StatusIs(absl::StatusCode::kInvalidArgument, "too long"));
  CHECK_THAT(RestrictPromql(std::string(1000, '('), kJobs),
             StatusIs(absl::StatusCode::kInvalidArgument, "parentheses"));
}

TEST_CASE("PromQL restriction: bounds selectors and durations", "[metrics]") {
  std::string many = "a";
  for (int i = 1; i < 50; ++i) many += "+a";
  CHECK_THAT(RestrictPromql(many, kJobs), IsOk());
  CHECK_THAT(RestrictPromql(many + "+a", kJobs),
             StatusIs(absl::StatusCode::kInvalidArgument, "at most 50 times"));
  for (const char* duration :
       {"4000d", "99999999999999999999y", "99999999999999999999w",
        "9223372036854775807w", "3660d1ms"}) {
    CAPTURE(duration);
    CHECK_THAT(RestrictPromql(std::string("a[") + duration + "]", kJobs),
               StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_CASE("PromQL restriction: without jobs a selector matches nothing",
          "[metrics]") {
  CHECK(RestrictPromql("a or vector(1)", {}).value() ==
        "a{job=\"-\",job!=\"-\"} or vector(1)");
}

TEST_CASE("PromQL restriction: a selector has no range, offset or operator",
          "[metrics]") {
  for (const std::string selector :
       {"", "a[5m]", "a offset 5m", "a or b", "sum(a)", "1", "(a)", "a}",
        "a{x=\"y\"} {", "a,b", "by", "up} or {x=\"\"", "\"a\"", "a @ 5"}) {
    CAPTURE(selector);
    CHECK_THAT(ParsedPromql::ParseSelector(selector),
               StatusIs(absl::StatusCode::kInvalidArgument, "character"));
  }
  CHECK_THAT(ParsedPromql::ParseSelector(std::string(kMaxPromqlBytes + 1, 'a')),
             StatusIs(absl::StatusCode::kInvalidArgument, "too long"));
  CHECK(ParsedPromql::ParseSelector("a").value().RestrictedTo(kJobs) ==
        "a{" JOBS "}");
  CHECK(ParsedPromql::ParseSelector(" {x=~\".+\"} ")
            .value()
            .RestrictedTo(kJobs) == "{x=~\".+\"," JOBS "}");
}

TEST_CASE("PromQL restriction: knows how far back a query reads", "[metrics]") {
  const auto reach_ms = [](const std::string& query) {
    return ParsedPromql::Parse(query).value().reach_ms();
  };
  CHECK(reach_ms("a") == 0);
  CHECK(reach_ms("rate(a[5m])") == 300'000);
  CHECK(reach_ms("rate(a[1m30s] offset 1h) + b offset 2h") == 7'200'000);
  CHECK(reach_ms("a[1500ms]") == 1500);
}

TEST_CASE("PromQL restriction: labels of the database itself are reserved",
          "[metrics]") {
  for (const char* name : {"", "__graphite__", "a-b", "a/values", "../job",
                           "1a", "__name__/", "a%2f"}) {
    CAPTURE(name);
    CHECK_FALSE(IsPromqlLabel(name));
  }
  CHECK(IsPromqlLabel("__name__"));
  CHECK(IsPromqlLabel("node"));
}

TEST_CASE("PromQL restriction: restricts each selector to the jobs",
          "[metrics]") {
  struct Row {
    std::string query, restricted;
  };
  const Row rows[] = {
      {"a", "a{" JOBS "}"},
      {"{}", "{" JOBS "}"},
      {"a{job=\"other\"}", "a{job=\"other\"," JOBS "}"},
      {"a{job=~\".*\", gpu!=\"0\",}", "a{job=~\".*\",gpu!=\"0\"," JOBS "}"},
      {"{__name__=~\"carme_.*\"}", "{__name__=~\"carme_.*\"," JOBS "}"},
      {"a{x=\"} or up{\"}", "a{x=\"} or up{\"," JOBS "}"},
      {"a{x=\"\\\"} or up{y=\\\"\"}", "a{x=\"\\\"} or up{y=\\\"\"," JOBS "}"},
      {"a{x=\"\\\\\"}", "a{x=\"\\\\\"," JOBS "}"},
      {"rate(a[5m])", "rate(a{" JOBS "}[5m])"},
      {"a offset 1h30m", "a{" JOBS "} offset 1h30m"},
      {"a+b", "a{" JOBS "} + b{" JOBS "}"},
      {"a and on(x) b", "a{" JOBS "} and on(x) b{" JOBS "}"},
      {"a > bool 1.5e-3", "a{" JOBS "} >  bool 1.5e-3"},
      {"-a", "-a{" JOBS "}"},
      {"sum by (gpu, node) (a)", "sum by (gpu,node) (a{" JOBS "})"},
      {"sum(a) without (gpu)", "sum(a{" JOBS "}) without (gpu) "},
      {"topk(3, a)", "topk(3,a{" JOBS "})"},
      {"histogram_quantile(0.9, a)", "histogram_quantile(0.9,a{" JOBS "})"},
      {"label_replace(a, \"x\", \"$1\", \"y\", \"(.*)\")",
       "label_replace(a{" JOBS "},\"x\",\"$1\",\"y\",\"(.*)\")"},
      {"time()", "time()"},
      {"absent(a)", "absent(a{" JOBS "})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.query);
    const auto restricted = RestrictPromql(row.query, kJobs);
    REQUIRE_THAT(restricted, IsOk());
    CHECK(*restricted == row.restricted);
  }
}

}  // namespace
}  // namespace carme::metrics
