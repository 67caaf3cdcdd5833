#include "common/log.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

TEST_CASE("log: a value cannot begin a new line or a new key", "[common]") {
  CHECK(
      FormatLogLine("info", "login", {{"user", "ada\ninfo login user=root"}}) ==
      "info login user=\"ada?info login user=root\"");
  CHECK(FormatLogLine("info", "x", {{"a", "b\" c=\"d"}}) ==
        "info x a=\"b\\\" c=\\\"d\"");
  CHECK(FormatLogLine("info", "x", {{"a", "\x1b[31m"}}) == "info x a=?[31m");
}

TEST_CASE("log: fields are key=value in their order", "[common]") {
  CHECK(FormatLogLine("audit", "submit", {{"uid", 20001}, {"job", "k"}}) ==
        "audit submit uid=20001 job=k");
}

}  // namespace
}  // namespace carme
