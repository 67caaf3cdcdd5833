// The calendar of reservations, whose address has an access token.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "frontend/calendar_handler.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::kKnownAccessToken;
using testing::kKnownToken;
using testing::PortalFixture;
using testing::Request;
using testing::SessionHeader;

HttpAnswer Get(const PortalFixture& portal, const std::string& query,
               const std::string& headers = "") {
  return HttpClient(portal.port())
      .Ask(Request("GET", absl::StrCat(kCalendarPath, query), headers));
}

std::string WithToken(const std::string& token) {
  return absl::StrCat("?token=", token);
}

TEST_CASE("calendar: an invalid address does not reach the backend",
          "[frontend]") {
  PortalFixture portal;
  const std::string token = kKnownAccessToken;
  const HttpAnswer nothing = Get(portal, "");
  CHECK(nothing.status == 404);
  for (const std::string& query :
       {std::string("?"), std::string("?token="), WithToken("carme_short"),
        WithToken(kKnownToken), WithToken(token + "x"),
        WithToken("carme_" + std::string(42, 'x') + "%"),
        WithToken(token) + "&token=" + token, WithToken(token) + "&lang=de",
        WithToken(token) + "&", WithToken(token) + "&cluster=a/b",
        "?Token=" + token, std::string("?cluster=alpha")}) {
    CAPTURE(query);
    const HttpAnswer answer = Get(portal, query);
    CHECK(answer.status == 404);
    CHECK(answer.body == nothing.body);
  }
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("calendar: every refusal is the same", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer nothing = Get(portal, "");
  const std::string known = WithToken(kKnownAccessToken);
  for (const auto& [query, headers] :
       {std::pair(WithToken("carme_" + std::string(43, 'x')), std::string()),
        // Known, but not from this address.
        std::pair(known, std::string("X-Forwarded-For: 192.0.2.3\r\n")),
        std::pair(known, std::string("X-Forwarded-For: unknown\r\n")),
        std::pair(known + "&cluster=alpha", std::string())}) {
    CAPTURE(query, headers);
    const HttpAnswer answer = Get(portal, query, headers);
    CHECK(answer.status == 404);
    CHECK(answer.body == nothing.body);
    CHECK(answer.Header("www-authenticate").empty());
    CHECK(answer.Header("set-cookie").empty());
  }
}

TEST_CASE("calendar: a session is no token", "[frontend]") {
  PortalFixture portal;
  CHECK(Get(portal, "", SessionHeader()).status == 404);
  // The cookie of a browser that opens the address changes nothing.
  const HttpAnswer answer =
      Get(portal, WithToken(kKnownAccessToken), SessionHeader());
  CHECK(answer.status == 200);
  CHECK_FALSE(portal.backend().metadata().contains("carme-session"));
}

TEST_CASE("calendar: programs ask again later if the backend cannot answer",
          "[frontend]") {
  PortalFixture portal;
  const std::string known = WithToken(kKnownAccessToken);
  const HttpAnswer away = Get(portal, known, "X-Forwarded-For: 192.0.2.4\r\n");
  CHECK(away.status == 503);
  CHECK(away.Header("retry-after") == "300");
  CHECK(away.body.find("directory") == std::string::npos);
  CHECK(Get(portal, known, "X-Forwarded-For: 192.0.2.5\r\n").status == 429);
}

TEST_CASE("calendar: is for programs, and in no cache", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      Get(portal, WithToken(kKnownAccessToken),
          "X-Forwarded-For: 192.0.2.9\r\nUser-Agent: Calendar/1\r\n");
  CHECK(answer.status == 200);
  CHECK(answer.Header("content-type") == "text/calendar; charset=utf-8");
  CHECK(answer.Header("cache-control") == "no-store");
  CHECK(answer.Header("referrer-policy") == "no-referrer");
  CHECK(answer.Header("content-disposition") ==
        "attachment; filename=\"carme-reservations.ics\"");
  CHECK(answer.body == "BEGIN:VCALENDAR\r\nNAME:\r\n");
  const auto metadata = portal.backend().metadata();
  CHECK(metadata.at("carme-token") == kKnownAccessToken);
  CHECK(metadata.at("carme-client-address") == "192.0.2.9");
  CHECK(metadata.at("carme-user-agent") == "Calendar/1");
}

TEST_CASE("calendar: of a further cluster, by an assertion", "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  const HttpAnswer answer =
      Get(portal, WithToken(kKnownAccessToken) + "&cluster=beta");
  CHECK(answer.status == 200);
  CHECK(answer.body == "BEGIN:VCALENDAR\r\nNAME:beta\r\n");
  CHECK_FALSE(portal.beta().metadata().contains("carme-token"));
}

}  // namespace
}  // namespace carme::frontend
