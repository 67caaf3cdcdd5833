// Each case of HTTP/2 through carme-proxy, and through nginx to see what others
// make of it.
#include <catch2/catch.hpp>

#include "common/file.h"
#include "tests/proxy/fixtures/nginx.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/proxy/protocols/http2_cases.h"
#include "tests/support/held_port.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

// Plays it on a connection of its own; with what the app saw where `expected`
// has it.
std::string Play(const Http2Case& what, const std::string& expected,
                 const EchoApp& app, int port, const TlsClient::Options& tls,
                 const std::string& cookie) {
  const int before = app.requests();
  Http2Client::Options options;
  options.greets = what.greets;
  Http2Client client(port, tls, options);
  REQUIRE(client.connected());
  Http2Play play(client, kJobHost, cookie);
  std::string outcome = OutcomeOf(what, play);
  if (expected.find(':') != std::string::npos) {
    outcome += ":" + std::to_string(app.requests() - before);
  }
  return outcome;
}

// nginx 1.22 of Debian 12 resets a stream where 1.26 of Debian 13 responds.
std::string OfEachNginx(const std::string& outcome) {
  return outcome == "400:0" ? "RST 1:0" : outcome;
}

void CheckProxy(const std::vector<Http2Case>& cases) {
  ProxyFixture fixture;
  for (const Http2Case& what : cases) {
    INFO(what.name);
    const std::string outcome =
        Play(what, what.carme, fixture.app, fixture.port,
             fixture.ClientOptions(kJobHost), fixture.cookie);
    CHECK((outcome == what.carme || outcome == what.stricter));
  }
  // Others are served, and nothing is left of it.
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(WaitFor([&] { return fixture.server->connections() == 0; }));
}

void CheckNginx(const std::vector<Http2Case>& cases) {
  EchoApp app;
  TestCa ca("public");
  TempDir directory;
  const TestIdentity identity = ca.Issue({kJobHost});
  REQUIRE_THAT(WriteFile(directory.File("pem"), identity.certificate_pem, 0600),
               IsOk());
  REQUIRE_THAT(WriteFile(directory.File("key"), identity.key_pem, 0600),
               IsOk());
  HeldPort port;
  Nginx nginx(app.port(),
              "127.0.0.1:" + std::to_string(port.number()) + " ssl http2",
              "ssl_certificate " + directory.File("pem") +
                  ";\nssl_certificate_key " + directory.File("key") + ";\n");
  TlsClient::Options tls;
  tls.server_name = kJobHost;
  tls.ca_pem = ca.certificate_pem();
  INFO("is Debian's package nginx installed?");
  REQUIRE(WaitFor([&] { return TlsClient(port.number(), tls).connected(); }));
  for (const Http2Case& what : cases) {
    if (what.nginx == "-") continue;
    INFO(what.name);
    // nginx closes at once: a reset can overtake its GOAWAY.
    std::string outcome;
    for (int tries = 0; tries < 5 && outcome != what.nginx; ++tries) {
      outcome = Play(what, what.nginx, app, port.number(), tls, "");
      if (outcome != "end") break;
    }
    CHECK(OfEachNginx(outcome) == OfEachNginx(what.nginx));
  }
}

TEST_CASE("http2: invalid frames have the outcome of the table", "[proxy]") {
  CheckProxy(Http2FrameCases());
}
TEST_CASE("http2: invalid heads have the outcome of the table", "[proxy]") {
  CheckProxy(Http2HeadCases());
}
TEST_CASE("http2: floods end the connection with ENHANCE_YOUR_CALM",
          "[proxy]") {
  CheckProxy(Http2FloodCases());
}

TEST_CASE("nginx: has the outcomes in the HTTP/2 tables", "[proxy]") {
  CheckNginx(Http2FrameCases());
  CheckNginx(Http2HeadCases());
  CheckNginx(Http2FloodCases());
}

}  // namespace
}  // namespace carme::testing
