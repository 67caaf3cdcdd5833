#include "frontend/gateway/bearer_token.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

const std::string kToken = "carme_" + std::string(40, 'x') + "-_9";

absl::StatusOr<std::string> TokenOf(const std::string& authorization,
                                    const std::string& cookie = "") {
  HttpHeaders headers;
  headers.Add("authorization", authorization);
  if (!cookie.empty()) headers.Add("cookie", cookie);
  return AccessTokenOf(headers);
}

TEST_CASE("bearer: refuses a malformed token", "[frontend]") {
  for (const std::string& value :
       {std::string(), std::string("Bearer"), std::string("Bearer "),
        "Basic " + kToken, "Bearer" + kToken, kToken, "Bearer  " + kToken,
        "Bearer " + kToken + "x", "Bearer " + kToken.substr(1),
        "Bearer " + kToken + ", Bearer " + kToken,
        "Bearer CARME_" + kToken.substr(6), "Bearer " + std::string(49, 'x'),
        "Bearer carme_" + std::string(42, 'x') + "\x80",
        "Bearer carme_" + std::string(42, 'x') + "=",
        "Bearer carme_" + std::string(42, 'x') + " "}) {
    CAPTURE(value);
    CHECK_THAT(TokenOf(value), StatusIs(absl::StatusCode::kUnauthenticated));
  }
}

TEST_CASE("bearer: refuses a token with a session cookie", "[frontend]") {
  for (const std::string& cookie :
       {"__Host-carme=" + std::string(43, 'x'), std::string("__Host-carme=x"),
        std::string("a=b; __Host-carme=")}) {
    CAPTURE(cookie);
    CHECK_THAT(TokenOf("Bearer " + kToken, cookie),
               StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_CASE("bearer: reads a token beside any cookies", "[frontend]") {
  CHECK(*TokenOf("Bearer " + kToken) == kToken);
  CHECK(*TokenOf("bearer " + kToken, "theme=dark") == kToken);
  CHECK(AccessTokenOf(HttpHeaders())->empty());
  CHECK_FALSE(IsScript(HttpHeaders()));
}

}  // namespace
}  // namespace carme::frontend
