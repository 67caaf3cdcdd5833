// The hostile requests of the table, through carme-proxy and through nginx.
#include <catch2/catch.hpp>

#include "tests/proxy/fixtures/nginx.h"
#include "tests/proxy/fixtures/plain_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/proxy/server/hostile_table.h"

namespace carme::testing {
namespace {

constexpr char kTable[] = CARME_SOURCE "/tests/proxy/server/hostile_http1.txt";

TEST_CASE("proxy: each hostile request has the response of the table",
          "[proxy]") {
  ProxyFixture fixture;
  const auto table =
      ReadHostileTable(kTable, kJobHost, "Cookie: " + fixture.cookie + "\r\n");
  for (const HostileCase& hostile : table) {
    INFO(hostile.name);
    const int before = fixture.app.requests();
    auto client = fixture.Connect();
    client->Send(hostile.bytes);
    const std::string answers = client->Read(size_t{1} << 30);
    CHECK(client->EndsWithin(kSoon));
    CHECK(OutcomeOf(answers, fixture.app.requests() - before) == hostile.carme);
    CHECK(answers.find("/smuggled") == std::string::npos);
  }
}

TEST_CASE("proxy: targets are forwarded unchanged", "[proxy]") {
  ProxyFixture fixture;
  for (const char* target :
       {"/echo/..%2f..%2fetc", "/echo/%2e%2e/x", "/../x", "//echo", "/echo%00",
        "/echo;a=b", "/echo?%0d%0a", "/echo\\x", "/%", "/a//b"}) {
    const TestResponse echo = fixture.Get(target);
    INFO(echo.body);
    CHECK(echo.body.find("GET " + std::string(target) + " HTTP/1.1\r\n") == 0);
  }
}

TEST_CASE("nginx: has the outcomes in the table", "[proxy]") {
  EchoApp app;
  TempDir directory;
  const std::string socket = directory.File("nginx.sock");
  Nginx nginx(app.port(), "unix:" + socket);
  INFO("is Debian's package nginx installed?");
  REQUIRE(WaitFor([&] { return AskUnix(socket, "x\r\n\r\n").has_value(); }));
  for (const HostileCase& hostile : ReadHostileTable(kTable, kJobHost, "")) {
    INFO(hostile.name);
    const int before = app.requests();
    const auto answers = AskUnix(socket, hostile.bytes);
    REQUIRE(answers.has_value());
    CHECK(OutcomeOf(*answers, app.requests() - before) == hostile.nginx);
  }
}

}  // namespace
}  // namespace carme::testing
