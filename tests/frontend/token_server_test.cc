// A script's calls, with an access token instead of a cookie.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::kKnownAccessToken;
using testing::kKnownToken;
using testing::PortalFixture;
using testing::Request;

// A call with these header lines and the content type.
HttpAnswer Call(const PortalFixture& portal, const std::string& method,
                const std::string& headers,
                const std::string& type = "application/json",
                const std::string& body = "{}") {
  return HttpClient(portal.port())
      .Ask(Request("POST", absl::StrCat("/carme.v1.", method),
                   absl::StrCat("Content-Type: ", type, "\r\n", headers),
                   body));
}

std::string Bearer(const std::string& token) {
  return absl::StrCat("Authorization: Bearer ", token, "\r\n");
}

TEST_CASE("token: refuses a malformed one without a call to the backend",
          "[frontend]") {
  PortalFixture portal;
  for (const std::string& headers :
       {Bearer("carme_short"), Bearer(kKnownToken), Bearer(""),
        std::string("Authorization: Basic YWRhOnB3\r\n")}) {
    CAPTURE(headers);
    const HttpAnswer answer = Call(portal, "AuthService/GetSession", headers);
    CHECK(answer.status == 401);
    CHECK(answer.Header("www-authenticate") == "Bearer");
    CHECK(answer.Header("set-cookie").empty());
    CHECK(Call(portal, "AuthService/Login", headers).status == 401);
  }
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("token: refuses a call that also has a session cookie",
          "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      Call(portal, "AuthService/GetSession",
           absl::StrCat(Bearer(kKnownAccessToken),
                        "Cookie: __Host-carme=", kKnownToken, "\r\n"));
  CHECK(answer.status == 400);
  CHECK(answer.Header("set-cookie").empty());
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("token: an unknown one changes no cookie", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer = Call(portal, "AuthService/GetSession",
                                 Bearer("carme_" + std::string(43, 'x')));
  CHECK(answer.status == 401);
  CHECK(answer.Header("www-authenticate") == "Bearer");
  CHECK(answer.Header("set-cookie").empty());
}

TEST_CASE("token: needs no cookie and no origin", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      Call(portal, "AuthService/GetSession", Bearer(kKnownAccessToken));
  CHECK(answer.status == 200);
  CHECK(answer.Header("set-cookie").empty());
  const auto metadata = portal.backend().metadata();
  CHECK(metadata.at("carme-token") == kKnownAccessToken);
  CHECK_FALSE(metadata.contains("carme-session"));
}

TEST_CASE("token: a page of another origin that has one is a script",
          "[frontend]") {
  // Its browser sends a preflight first, which is refused.
  PortalFixture portal;
  CHECK(HttpClient(portal.port())
            .Ask(Request("OPTIONS", "/carme.v1.AuthService/GetSession",
                         "Origin: https://evil.example\r\n"
                         "Access-Control-Request-Headers: authorization\r\n"))
            .status == 405);
}

TEST_CASE("token: a response to it has no session", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      Call(portal, "AuthService/VerifyFactor", Bearer(kKnownAccessToken));
  CHECK(answer.Header("set-cookie").empty());
  CHECK(answer.body.find(kKnownToken) == std::string::npos);
  CHECK_FALSE(portal.backend().metadata().contains("carme-token"));
}

TEST_CASE("token: a stream counts for the token", "[frontend]") {
  PortalFixture portal({.streams_per_session = 1});
  const auto ask = [&](HttpClient* client) {
    client->Send(
        Request("POST", "/carme.v1.JobService/WatchJobs",
                absl::StrCat("Content-Type: application/connect+json\r\n",
                             Bearer(kKnownAccessToken)),
                std::string("\0\0\0\0\2{}", 7)));
    CHECK(client->ReadHead().status == 200);
    return client->ReadChunk().value_or("");
  };
  HttpClient first(portal.port());
  CHECK(ask(&first).find("\"snapshot\":true") != std::string::npos);
  HttpClient second(portal.port());
  CHECK(ask(&second).find("resource_exhausted") != std::string::npos);
}

}  // namespace
}  // namespace carme::frontend
