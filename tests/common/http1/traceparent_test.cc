#include "common/http1/traceparent.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kParent = "00f067aa0ba902b7";

TEST_CASE("traceparent: refuses invalid values", "[common]") {
  for (const std::string& value :
       {std::string(), std::string("00"), "00-" + kTrace + "-" + kParent,
        "00-" + kTrace + "-" + kParent + "-01-x",
        "00-" + kTrace + "-" + kParent + "-011",
        "01-" + kTrace + "-" + kParent + "-011",
        "ff-" + kTrace + "-" + kParent + "-01",
        "0g-" + kTrace + "-" + kParent + "-01",
        "00-" + kTrace + "-" + kParent + "-0x",
        "00_" + kTrace + "-" + kParent + "-01",
        "00-" + std::string(32, '0') + "-" + kParent + "-01",
        "00-" + kTrace + "-" + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + kParent + "-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473\r-" + kParent + "-01"}) {
    CAPTURE(value);
    CHECK_FALSE(ParseTraceparent(value));
  }
}

TEST_CASE("traceparent: reads version 00 and later ones", "[common]") {
  for (const std::string& value :
       {"00-" + kTrace + "-" + kParent + "-01",
        "cc-" + kTrace + "-" + kParent + "-03",
        "cc-" + kTrace + "-" + kParent + "-01-what-the-future-holds"}) {
    CAPTURE(value);
    const auto parsed = ParseTraceparent(value);
    REQUIRE(parsed);
    CHECK(parsed->trace_id == kTrace);
    CHECK(parsed->parent_id == kParent);
    CHECK(parsed->sampled);
    CHECK(FormatTraceparent(*parsed) == "00-" + kTrace + "-" + kParent + "-01");
  }
  CHECK_FALSE(
      ParseTraceparent("00-" + kTrace + "-" + kParent + "-00")->sampled);
}

}  // namespace
}  // namespace carme
