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
