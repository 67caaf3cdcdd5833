#include "frontend/gateway/session_cookie.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

const std::string kToken(43, 'A');

absl::StatusOr<std::string> TokenIn(const std::string& cookie) {
  HttpHeaders headers;
  headers.Add("cookie", cookie);
  return SessionTokenOf(headers);
}

TEST_CASE("session cookie: refuses two of its name", "[frontend]") {
  const auto token =
      TokenIn("__Host-carme=" + kToken + "; __Host-carme=" + kToken);
  CHECK_THAT(token, StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_CASE("session cookie: refuses an invalid token", "[frontend]") {
  for (const std::string& value :
       {std::string(), std::string("short"), std::string(129, 'A'),
        kToken + "=", kToken + " ", "\"" + kToken + "\"", kToken + "%41",
        kToken.substr(1) + "\x80"}) {
    CAPTURE(value);
    CHECK_THAT(TokenIn("__Host-carme=" + value),
               StatusIs(absl::StatusCode::kUnauthenticated));
  }
  CHECK_FALSE(TokenIn("__Host-carme").ok());
}

TEST_CASE("session cookie: is found among others by its exact name",
          "[frontend]") {
  CHECK(TokenIn("").value().empty());
  CHECK(TokenIn("__host-carme=" + kToken).value().empty());
  CHECK(TokenIn("__Host-carme-job=" + kToken).value().empty());
  CHECK(TokenIn("a=__Host-carme=" + kToken).value().empty());
  CHECK(TokenIn("a=1; __Host-carme=" + kToken + ";b=\"x\"").value() == kToken);
  CHECK(SessionTokenOf(HttpHeaders()).value().empty());
}

TEST_CASE("session cookie: is set for this host only, until it expires",
          "[frontend]") {
  const std::string attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict";
  CHECK(SessionCookie(kToken, std::nullopt) ==
        "__Host-carme=" + kToken + attributes);
  CHECK(SessionCookie(kToken, absl::Minutes(2) + absl::Milliseconds(5)) ==
        "__Host-carme=" + kToken + attributes + "; Max-Age=120");
  CHECK(SessionCookie(kToken, -absl::Seconds(5)) ==
        "__Host-carme=" + kToken + attributes + "; Max-Age=0");
  CHECK(DeletedSessionCookie() == "__Host-carme=" + attributes + "; Max-Age=0");
}

}  // namespace
}  // namespace carme::frontend
