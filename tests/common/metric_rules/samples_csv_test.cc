#include "common/metric_rules/samples_csv.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::metric_rules {
namespace {

constexpr char kHeader[] = "time_s,node,name,labels,value\n";

std::string Error(const std::string& text) {
  const auto parsed = ParseSamplesCsv(text, "s.csv");
  return parsed.ok() ? "accepted" : std::string(parsed.status().message());
}

TEST_CASE("samples: a file that is no export is refused with its line",
          "[rules]") {
  CHECK(Error("") ==
        "s.csv:0: expected the header time_s,node,name,labels,value");
  CHECK(Error("a,b\n") ==
        "s.csv:1: expected the header time_s,node,name,labels,value");
  CHECK(Error(std::string(kHeader) + "1,n1,a,\n")
            .ends_with("s.csv:2: expected time_s,node,name,labels,value: the "
                       "row has 4 fields"));
  CHECK(
      Error(std::string(kHeader) + "1,n1,a,,1\n1,n1,a,,x\n")
          .ends_with(
              "s.csv:3: expected time_s,node,name,labels,value: \"x\" is not a "
              "number"));
  CHECK(Error(std::string(kHeader) + "1e30,n1,a,,1\n")
            .ends_with("\"1e30\" is not a number"));
}

TEST_CASE("samples: rows become series, events and a step", "[rules]") {
  const auto samples =
      ParseSamplesCsv(std::string(kHeader) +
                          "60,n1,util,\"gpu=0;model=A, \"\"B\"\"\",0.5\r\n"
                          "120,n1,util,\"gpu=0;model=A, \"\"B\"\"\",0.25\n"
                          "90,n1,event:xid,code=79,0\n"
                          // Of a clock that jumped.
                          "9000000,n2,event:xid,code=79,0\n",
                      "s.csv");
  REQUIRE_THAT(samples, IsOk());
  REQUIRE(samples->series.size() == 1);
  CHECK(samples->series[0].labels ==
        std::map<std::string, std::string>{
            {"node", "n1"}, {"gpu", "0"}, {"model", "A, \"B\""}});
  CHECK(samples->series[0].points == std::vector<std::pair<int64_t, double>>{
                                         {60'000, 0.5}, {120'000, 0.25}});
  REQUIRE(samples->events.size() == 2);
  CHECK(samples->events[0].kind == "xid");
  CHECK(samples->from_ms == 60'000);
  CHECK(samples->to_ms == 120'000);
  CHECK(samples->step_s == 60);
}

}  // namespace
}  // namespace carme::metric_rules
