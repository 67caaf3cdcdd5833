#include "common/net/address.h"

#include <catch2/catch.hpp>

#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

TEST_CASE("address: refuses what is not a literal with a port", "[net]") {
  for (const char* text :
       {"", "443", ":443", "localhost:443", "10.0.0.1",
        "10.0.0.1:", "10.0.0.1:65536", "10.0.0.1:-1", "10.0.0.1:4x", "::1:443",
        "[::1]", "[10.0.0.1]:443", "[::1]:443 "}) {
    INFO(text);
    CHECK_THAT(net::Address::Parse(text),
               StatusIs(absl::StatusCode::kInvalidArgument));
  }
  CHECK_FALSE(net::Address::FromPath(std::string(108, 'x')).ok());
  CHECK_FALSE(net::Address::FromPath("").ok());
}

TEST_CASE("address: reads both families and writes them back", "[net]") {
  for (const char* text : {"10.0.0.1:443", "[::1]:8443", "0.0.0.0:0"}) {
    auto address = net::Address::Parse(text);
    REQUIRE_THAT(address, IsOk());
    CHECK(address->ToString() == text);
  }
  CHECK(net::Address::Parse("[::ffff:10.0.0.1]:1")->Ip() == "10.0.0.1");
  CHECK(net::Address::FromPath("/run/x")->ToString() == "/run/x");
}

}  // namespace
}  // namespace carme::testing
