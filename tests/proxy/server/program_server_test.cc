// carme-proxy as a program: flags, inherited socket, signals.
#include <catch2/catch.hpp>
#include <csignal>

#include "common/file.h"
#include "common/listen.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/proxy/fixtures/proxy_program.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

TEST_CASE("carme-proxy: refuses to start without a configuration", "[proxy]") {
  TempDir directory;
  const std::string log = directory.path() + "/log";
  ProxyProgram missing({"--config", directory.path() + "/none.toml"}, log);
  CHECK(missing.ExitCode() == 1);
  CHECK(ReadFile(log)->find("none.toml") != std::string::npos);
  ProxyProgram wrong({"--verbose"}, log);
  CHECK(wrong.ExitCode() == 2);
  const std::string file = directory.path() + "/proxy.toml";
  REQUIRE_THAT(WriteFile(file, "portal_host = 1\n", 0600), IsOk());
  ProxyProgram bad({"--config", file, "--check-config"}, log);
  CHECK(bad.ExitCode() == 1);
  CHECK(ReadFile(log)->find("proxy.toml:1: \"portal_host\"") !=
        std::string::npos);
}

TEST_CASE("carme-proxy: serves on an inherited socket, drains on SIGTERM",
          "[proxy]") {
  ProxyFixture fixture;
  const std::string& path = fixture.directory.path();
  const std::string log = path + "/log", file = path + "/proxy.toml";
  REQUIRE_THAT(
      WriteFile(file,
                ProgramConfig(fixture, "metrics_listen = \"192.0.2.1:2\"\n"),
                0600),
      IsOk());
  ProxyProgram check({"--config", file, "--check-config"}, log);
  CHECK(check.ExitCode() == 0);

  auto listener = ListenTcp("127.0.0.1:0");
  fixture.port = *PortOf(listener->get());
  ProxyProgram program({"--config", file}, log, listener->get());
  fixture.WaitForRoutes();
  // The first proxy's cookie: the key is in the state directory.
  CHECK(fixture.Get("/echo").status == 200);
  auto websocket = fixture.OpenWebsocket(fixture.cookie);

  const TestIdentity front =
      fixture.site_ca.Issue({kPortalHost, "*.jobs.test"});
  REQUIRE_THAT(WriteFile(path + "/public.pem", front.certificate_pem, 0600),
               IsOk());
  REQUIRE_THAT(WriteFile(path + "/public.key", front.key_pem, 0600), IsOk());
  program.Signal(SIGHUP);
  CHECK(WaitFor([&] {
    return ReadFile(log)->find("certificate read again") != std::string::npos;
  }));
  // The certificate for backend and agents needs no signal: the stream
  // restarts.
  const TestIdentity own = fixture.site_ca.IssueNames("URI:carme://proxy/dmz");
  REQUIRE_THAT(WriteFile(path + "/proxy.key", own.key_pem, 0600), IsOk());
  REQUIRE_THAT(WriteFile(path + "/proxy.pem", own.certificate_pem, 0600),
               IsOk());
  CHECK(WaitFor([&] {
    const std::string text = *ReadFile(log);
    return text.find("proxy.pem\" revoked=0") != std::string::npos ||
           text.find("/proxy.pem revoked=0") != std::string::npos;
  }));
  // Neither does the revocation list; an expired one is logged.
  fixture.WriteRevoked({}, -30);
  CHECK(WaitFor([&] {
    return ReadFile(log)->find("expired of=\"revocation list\"") !=
           std::string::npos;
  }));
  CHECK_FALSE(websocket->EndsWithin(absl::Milliseconds(300)));
  program.Signal(SIGTERM);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(program.ExitCode() == 0);
  const std::string text = *ReadFile(log);
  INFO(text);
  CHECK(text.find("info stopped") != std::string::npos);
  // The proxy serves without metrics.
  CHECK(text.find("error metrics disabled ") != std::string::npos);
  // No secrets in the log.
  CHECK(text.find("ticket=") == std::string::npos);
  CHECK(text.find("__Host-carme-job=") == std::string::npos);
}

}  // namespace
}  // namespace carme::testing
