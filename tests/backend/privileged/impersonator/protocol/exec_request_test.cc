#include "backend/privileged/impersonator/protocol/exec_request.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

TEST_CASE("exec request: refuses invalid messages", "[backend]") {
  const std::string good = EncodeExecRequest("ada", Uid(20001), "request");
  for (size_t length = 0; length < 72; ++length) {
    CHECK_FALSE(DecodeExecRequest(good.substr(0, length)).ok());
  }
  for (const std::string& name :
       {std::string(), std::string("../ada"), std::string("-ada"),
        std::string("ada bob"), std::string("ada\0bob", 7)}) {
    CHECK_FALSE(
        DecodeExecRequest(EncodeExecRequest(name, Uid(20001), "")).ok());
  }
}

TEST_CASE("exec request: survives encoding and decoding", "[backend]") {
  for (const std::string& name : {std::string("a"), std::string(64, 'a')}) {
    const std::string bytes = EncodeExecRequest(name, Uid(20001), "\x01\x02");
    const auto order = DecodeExecRequest(bytes);
    REQUIRE_THAT(order, IsOk());
    CHECK(order->user == name);
    CHECK(order->uid == Uid(20001));
    CHECK(order->request == "\x01\x02");
    CHECK_FALSE(order->as_slurm_user);
    CHECK(DecodeExecRequest(EncodeExecRequest(name, Uid(20001), "", true))
              ->as_slurm_user);
  }
}

}  // namespace
}  // namespace carme::impersonator
