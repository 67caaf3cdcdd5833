// The session cookie between browser and backend.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::kKnownToken;
using testing::PortalFixture;
using testing::SessionHeader;

constexpr char kDeleted[] =
    "__Host-carme=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0";

TEST_CASE("session: the token never reaches a script", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      portal.Call("AuthService/VerifyFactor", R"({"totp":"123456"})");
  REQUIRE(answer.status == 200);
  CHECK(answer.body.find(kKnownToken) == std::string::npos);
  CHECK(answer.body.find("sessionToken") == std::string::npos);
  CHECK(answer.body.find("\"username\":\"ada\"") != std::string::npos);
  const std::string cookie = answer.Header("set-cookie");
  const std::string start =
      std::string("__Host-carme=") + kKnownToken +
      "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=";
  REQUIRE(cookie.starts_with(start));
  const int lasts = std::atoi(cookie.substr(start.size()).c_str());
  CHECK(lasts > 3500);
  CHECK(lasts <= 3600);
}

TEST_CASE("session: deletes the cookie of an unknown session", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer = portal.Call("AuthService/GetSession", "{}",
                                        SessionHeader(std::string(43, 'x')));
  CHECK(answer.status == 401);
  CHECK(answer.Header("set-cookie") == kDeleted);
  CHECK(
      answer.body.find("\"code\":\"unauthenticated\",\"message\":\"log in\"") !=
      std::string::npos);
  const HttpAnswer malformed = portal.Call("AuthService/GetSession", "{}",
                                           "Cookie: __Host-carme=%00\r\n");
  CHECK(malformed.status == 401);
  CHECK(malformed.Header("set-cookie") == kDeleted);
}

TEST_CASE("session: a wrong password ends no session", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      portal.Call("AuthService/Login", R"({"username":"ada","password":"x"})",
                  SessionHeader());
  CHECK(answer.status == 401);
  CHECK(answer.Header("set-cookie").empty());
  CHECK_FALSE(portal.backend().metadata().contains("carme-session"));
}

TEST_CASE("session: two cookies are refused", "[frontend]") {
  PortalFixture portal;
  const std::string token = kKnownToken;
  const HttpAnswer answer = portal.Call(
      "AuthService/GetSession", "{}",
      "Cookie: __Host-carme=" + token + "; __Host-carme=" + token + "\r\n");
  CHECK(answer.status == 400);
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("session: logging out deletes the cookie", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      portal.Call("AuthService/Logout", "{}", SessionHeader());
  CHECK(answer.status == 200);
  CHECK(answer.body == "{}");
  CHECK(answer.Header("set-cookie") == kDeleted);
}

TEST_CASE("session: a call within it sets no cookie", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      portal.Call("AuthService/GetSession", "{}", SessionHeader());
  CHECK(answer.status == 200);
  CHECK(answer.Header("set-cookie").empty());
}

}  // namespace
}  // namespace carme::frontend
