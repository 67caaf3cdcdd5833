// Public TLS: session resumption, certificates by name, OCSP stapling, and
// their replacement while connections stay open.
#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/file.h"
#include "common/listen.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

constexpr char kSecondJobHost[] = "j23456789abcdefg.other.test";

void Put(const std::string& path, const std::string& content) {
  REQUIRE_THAT(WriteFile(path, content, 0600), IsOk());
}

// Reads something, so that the session is complete.
std::shared_ptr<ssl_session_st> SessionOf(ProxyFixture& fixture, int version) {
  TlsClient::Options options = fixture.ClientOptions(kPortalHost);
  options.tls_version = version;
  TlsClient client(fixture.port, options);
  REQUIRE(client.connected());
  CHECK_FALSE(client.resumed());
  CHECK(client.Ask(Request("GET /echo", kPortalHost)).status == 200);
  return client.session();
}

bool Resumes(ProxyFixture& fixture, int version,
             std::shared_ptr<ssl_session_st> session) {
  TlsClient::Options options = fixture.ClientOptions(kPortalHost);
  options.tls_version = version;
  options.session = std::move(session);
  TlsClient client(fixture.port, options);
  REQUIRE(client.connected());
  CHECK(client.Ask(Request("GET /echo", kPortalHost)).status == 200);
  return client.resumed();
}

void Restart(ProxyFixture& fixture) {
  auto listener = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(listener, IsOk());
  fixture.port = *PortOf(listener->get());
  fixture.watcher.reset();
  fixture.server.reset();
  fixture.server = *proxy::ProxyServer::Create(
      fixture.config, *std::move(listener), fixture.clock);
  fixture.server->Start();
}

TEST_CASE("proxy: TLS 1.3 sessions survive a restart, TLS 1.2 ones do not",
          "[proxy]") {
  ProxyFixture fixture;
  const auto old12 = SessionOf(fixture, TLS1_2_VERSION);
  const auto old13 = SessionOf(fixture, TLS1_3_VERSION);
  // On any loop.
  for (int i = 0; i < 6; ++i) CHECK(Resumes(fixture, TLS1_2_VERSION, old12));
  CHECK(Resumes(fixture, TLS1_3_VERSION, old13));
  const auto again13 = SessionOf(fixture, TLS1_3_VERSION);
  Restart(fixture);
  CHECK(Resumes(fixture, TLS1_3_VERSION, again13));
  CHECK_FALSE(Resumes(fixture, TLS1_2_VERSION, old12));
}

TEST_CASE("proxy: a TLS session survives a new certificate", "[proxy]") {
  ProxyFixture fixture;
  const auto session = SessionOf(fixture, TLS1_3_VERSION);
  TestCa authority("next ca");
  const TestIdentity next = authority.Issue({kPortalHost, "*.jobs.test"});
  const std::string& path = fixture.directory.path();
  Put(path + "/public.pem", next.certificate_pem);
  Put(path + "/public.key", next.key_pem);
  fixture.server->RefreshCertificates();
  TlsClient::Options options = fixture.ClientOptions(kPortalHost);
  options.ca_pem = authority.certificate_pem();
  REQUIRE(ProxyFixture::WaitForLoops(
      [&] { return TlsClient(fixture.port, options).connected(); }));
  CHECK(Resumes(fixture, TLS1_3_VERSION, session));
}

TEST_CASE("proxy: a TLS session with deleted keys is not resumed", "[proxy]") {
  ProxyFixture fixture;
  const auto session = SessionOf(fixture, TLS1_3_VERSION);
  REQUIRE(std::filesystem::remove(fixture.directory.path() + "/session.keys"));
  Restart(fixture);
  CHECK_FALSE(Resumes(fixture, TLS1_3_VERSION, session));
}

TEST_CASE("proxy: each name gets its certificate and stapled OCSP response",
          "[proxy]") {
  std::string second_ocsp;
  TestCa second("second ca");
  ProxyFixture fixture([&](proxy::ProxyConfig& config) {
    const std::string path = config.state_directory;
    const TestIdentity other = second.Issue({"portal2.test", "*.other.test"});
    Put(path + "/other.pem", other.certificate_pem + second.certificate_pem());
    Put(path + "/other.key", other.key_pem);
    second_ocsp = second.OcspResponse(other.certificate_pem);
    Put(path + "/other.ocsp", second_ocsp);
    // For another certificate: not stapled, and the proxy starts.
    Put(path + "/public.ocsp", second_ocsp);
    config.ocsp_response = path + "/public.ocsp";
    config.more_certificates = {
        {path + "/other.pem", path + "/other.key", path + "/other.ocsp"}};
  });
  TlsClient::Options options = fixture.ClientOptions(kPortalHost);
  options.asks_for_ocsp = true;
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    options.tls_version = version;
    options.server_name = kPortalHost;
    options.ca_pem = fixture.site_ca.certificate_pem();
    TlsClient first(fixture.port, options);
    REQUIRE(first.connected());
    CHECK(first.ocsp_response().empty());
    options.ca_pem = second.certificate_pem();
    CHECK_FALSE(TlsClient(fixture.port, options).connected());
    for (const char* name : {kSecondJobHost, "portal2.test"}) {
      options.server_name = name;
      TlsClient other(fixture.port, options);
      CHECK(other.connected());
      CHECK(other.ocsp_response() == second_ocsp);
      // Only stapled on request.
      TlsClient::Options quiet = options;
      quiet.asks_for_ocsp = false;
      CHECK(TlsClient(fixture.port, quiet).ocsp_response().empty());
    }
    options.server_name = "unknown.test";
    CHECK_FALSE(TlsClient(fixture.port, options).connected());
  }
}

TEST_CASE("proxy: all certificates are replaced without losing a connection",
          "[proxy]") {
  TestCa second("second ca");
  ProxyFixture fixture([&](proxy::ProxyConfig& config) {
    const std::string path = config.state_directory;
    const TestIdentity other = second.Issue({"portal2.test"});
    Put(path + "/other.pem", other.certificate_pem + second.certificate_pem());
    Put(path + "/other.key", other.key_pem);
    config.more_certificates = {
        {path + "/other.pem", path + "/other.key", path + "/other.ocsp"}};
  });
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  const std::string& path = fixture.directory.path();
  const TestIdentity next = second.Issue({"portal2.test"});
  const std::string answer = second.OcspResponse(next.certificate_pem);
  Put(path + "/other.pem", next.certificate_pem + second.certificate_pem());
  Put(path + "/other.key", next.key_pem);
  Put(path + "/other.ocsp", answer);
  fixture.server->RefreshCertificates();
  TlsClient::Options options = fixture.ClientOptions("portal2.test");
  options.ca_pem = second.certificate_pem();
  options.asks_for_ocsp = true;
  CHECK(WaitFor([&] {
    return TlsClient(fixture.port, options).ocsp_response() == answer;
  }));
  // A response with the status "revoked" is not stapled.
  Put(path + "/other.ocsp", second.OcspResponse(next.certificate_pem, false));
  fixture.server->RefreshCertificates();
  CHECK(WaitFor([&] {
    TlsClient client(fixture.port, options);
    return client.connected() && client.ocsp_response().empty();
  }));
  REQUIRE(websocket->Send("still"));
  CHECK(websocket->Read(5) == "still");
}

}  // namespace
}  // namespace carme::testing
