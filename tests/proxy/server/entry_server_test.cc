// Access: TLS, host names, tickets, cookies.
#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <set>

#include "common/file.h"
#include "common/listen.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

TEST_CASE("proxy: refuses old TLS, other protocols, plain text", "[proxy]") {
  ProxyFixture fixture;
  TlsClient::Options options = fixture.ClientOptions(kPortalHost);
  for (int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    options.tls_version = version;
    CHECK_FALSE(TlsClient(fixture.port, options).connected());
  }
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    options.tls_version = version;
    TlsClient client(fixture.port, options);
    REQUIRE(client.connected());
    CHECK(client.Ask(Request("GET /echo", kPortalHost)).status == 200);
  }
  options = fixture.ClientOptions(kPortalHost);
  options.alpn = "spdy/3";
  CHECK_FALSE(TlsClient(fixture.port, options).connected());
  options.alpn = "http/1.1";
  CHECK(TlsClient(fixture.port, options).connected());
}

TEST_CASE("proxy: answers 421 for unknown hosts", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect(kPortalHost);
  CHECK(client->Ask(Request("GET /", "evil.test")).status == 421);
  // The certificate is valid for both hosts, the connection was for one.
  CHECK(client->Ask(Request("GET /", kJobHost)).status == 421);
  CHECK(client->Ask(Request("GET /echo", kPortalHost)).status == 200);
}

TEST_CASE("proxy: the portal gets the client's address from the proxy only",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect(kPortalHost);
  TestResponse response = client->Ask(
      Request("GET /echo", kPortalHost,
              "X-Forwarded-For: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\n"
              "Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-"
              "00f067aa0ba902b7-01\r\n"
              "Cookie: a=1; __Host-carme=token\r\n"));
  REQUIRE(response.status == 200);
  CHECK(response.body.find("6.6.6.6") == std::string::npos);
  CHECK(response.body.find("X-Forwarded-For: 127.0.0.1\r\n") !=
        std::string::npos);
  // The request id is the parent id of the client's trace.
  const size_t at = response.body.find("X-Request-Id: ");
  REQUIRE(at != std::string::npos);
  CHECK(response.body.find("Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-" +
                           response.body.substr(at + 14, 16) + "-01\r\n") !=
        std::string::npos);
  CHECK(response.body.find("Cookie: __Host-carme=token\r\n") !=
        std::string::npos);
}

TEST_CASE("proxy: the frontend gets each request on its own connection",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect(kPortalHost);
  for (int i = 1; i <= 5; ++i) {
    CHECK(client->Ask(Request("GET /echo", kPortalHost)).status == 200);
    CHECK(fixture.frontend.connections() == i);
  }
  CHECK(WaitFor([&] { return fixture.frontend.open_connections() == 0; }));
}

TEST_CASE("proxy: rejects requests to an app without its cookie", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  TestResponse page =
      client->Ask(Request("GET /echo", kJobHost, "Accept: text/html,*/*\r\n"));
  CHECK(page.status == 401);
  CHECK(page.body.find("https://portal.test/") != std::string::npos);
  CHECK(page.Has("Content-Security-Policy: default-src 'none'"));
  CHECK(page.Has("Strict-Transport-Security"));

  TestResponse text = client->Ask(Request("GET /echo", kJobHost));
  CHECK(text.status == 401);
  CHECK(text.Value("Content-Type") == "application/problem+json");
  for (const std::string& cookie :
       {std::string("__Host-carme-job=AAAA"), fixture.cookie + "A",
        fixture.cookie + "; " + fixture.cookie}) {
    CHECK(
        client
            ->Ask(Request("GET /echo", kJobHost, "Cookie: " + cookie + "\r\n"))
            .status == 401);
  }
  CHECK(client
            ->Ask(Request("GET /echo", kJobHost,
                          "Cookie: " + fixture.cookie + "\r\n"))
            .status == 200);
  CHECK(fixture.app.requests() == 1);
}

TEST_CASE("proxy: a cookie is valid on its own host only", "[proxy]") {
  ProxyFixture fixture;
  auto other = fixture.Connect(kOtherJobHost);
  CHECK(other
            ->Ask(Request("GET /echo", kOtherJobHost,
                          "Cookie: " + fixture.cookie + "\r\n"))
            .status == 401);
}

TEST_CASE("proxy: a ticket works once, on its own host", "[proxy]") {
  ProxyFixture fixture;
  const std::string ticket = fixture.Ticket();
  auto other = fixture.Connect(kOtherJobHost);
  CHECK(other->Ask(Request("GET /.carme/open?ticket=" + ticket, kOtherJobHost))
            .status == 403);
  // Loops with separate tables would each accept it.
  std::multiset<int> statuses;
  for (int i = 0; i < 8; ++i) {
    auto client = fixture.Connect();
    TestResponse response =
        client->Ask(Request("GET /.carme/open?ticket=" + ticket, kJobHost));
    statuses.insert(response.status);
    if (response.status == 303) {
      const std::string set = response.Value("Set-Cookie");
      CHECK(set.find("__Host-carme-job=") == 0);
      for (const char* part :
           {"; Secure", "; HttpOnly", "; Path=/", "; SameSite=Lax"}) {
        CHECK(set.find(part) != std::string::npos);
      }
      CHECK(set.find("Domain") == std::string::npos);
      CHECK(response.Value("Referrer-Policy") == "no-referrer");
      CHECK(response.Value("Cache-Control") == "no-store");
    }
  }
  CHECK(statuses.count(303) == 1);
  CHECK(statuses.count(403) == 7);
  auto client = fixture.Connect();
  CHECK(client
            ->Ask(Request("POST /.carme/open?ticket=" + fixture.Ticket(),
                          kJobHost))
            .status == 404);
  CHECK(client->Ask(Request("GET /.carme/other", kJobHost)).status == 404);
}

TEST_CASE("proxy: rejects tickets from before its start", "[proxy]") {
  ProxyFixture fixture;
  const absl::Time now = fixture.clock.Now();
  const std::string early = fixture.grants.Ticket(
      fixture.grants.Grant(kJob, "s", now + absl::Hours(1)),
      now - absl::Minutes(1), now + absl::Minutes(1));
  auto client = fixture.Connect();
  CHECK(client->Ask(Request("GET /.carme/open?ticket=" + early, kJobHost))
            .status == 403);
}

TEST_CASE("proxy: cookies and unused tickets survive a restart", "[proxy]") {
  ProxyFixture fixture;
  const std::string ticket = fixture.Ticket(), used = fixture.Ticket();
  CHECK(fixture.Connect()
            ->Ask(Request("GET /.carme/open?ticket=" + used, kJobHost))
            .status == 303);
  auto listener = ListenTcp("127.0.0.1:0");
  fixture.port = *PortOf(listener->get());
  fixture.watcher.reset();
  fixture.server.reset();
  fixture.server = *proxy::ProxyServer::Create(
      fixture.config, *std::move(listener), fixture.clock);
  fixture.server->Start();
  auto client = fixture.Connect();
  TestResponse before = client->Ask(
      Request("GET /echo", kJobHost,
              "Accept: text/html\r\nCookie: " + fixture.cookie + "\r\n"));
  // No route yet: retry, not "ended".
  CHECK(before.status == 503);
  CHECK(before.Value("Retry-After") == "2");
  fixture.server->Apply(*proxy::ToRouteUpdate(
      fixture.Snapshot(), *ReadFile(fixture.directory.path() + "/proxy.pem"),
      *ReadFile(fixture.directory.path() + "/proxy.key")));
  CHECK(
      fixture.WaitForLoops([&] { return fixture.Get("/echo").status == 200; }));
  for (const auto& [one, status] :
       {std::pair(used, 403), std::pair(ticket, 303), std::pair(ticket, 403)}) {
    CHECK(client->Ask(Request("GET /.carme/open?ticket=" + one, kJobHost))
              .status == status);
  }
}

TEST_CASE("proxy: other sites' requests do not reach the app", "[proxy]") {
  ProxyFixture fixture;
  const int before = fixture.app.requests();
  auto client = fixture.Connect();
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  CHECK(client
            ->Ask(Request("POST /echo", kJobHost,
                          cookie + "Sec-Fetch-Site: same-site\r\n"))
            .status == 403);
  CHECK(client
            ->Ask(Request("POST /echo", kJobHost,
                          cookie + "Origin: https://evil.test\r\n"))
            .status == 403);
  CHECK(client
            ->Ask(Request(
                "GET /ws", kJobHost,
                cookie +
                    "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                    "Sec-WebSocket-Version: 13\r\nOrigin: https://" +
                    kOtherJobHost +
                    "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
            .status == 403);
  CHECK(fixture.app.requests() == before);
}

TEST_CASE("proxy: an app neither gets nor sets Carme's cookies", "[proxy]") {
  ProxyFixture fixture;
  TestResponse response =
      fixture.Get("/echo", "Cookie: app=1; __Host-carme=token\r\n");
  REQUIRE(response.status == 200);
  CHECK(response.body.find("arme") == std::string::npos);
  CHECK(response.body.find("Cookie: app=1\r\n") != std::string::npos);
  TestResponse plant = fixture.Get("/plant");
  CHECK(plant.Has("Set-Cookie: own=1"));
  CHECK_FALSE(plant.Has("arme"));
  CHECK_FALSE(plant.Has("wide"));
}

TEST_CASE("proxy: an unreachable agent gives a page that retries", "[proxy]") {
  ProxyFixture fixture;
  v1::WatchRoutesResponse change;
  v1::Route* route = change.add_routes();
  route->set_job_id(kJob.value());
  route->set_address("127.0.0.1");
  route->set_port(1);
  fixture.backend->Push(change);
  TestResponse page;
  CHECK(WaitFor([&] {
    page = fixture.Get("/echo", "Accept: text/html\r\n");
    return page.status == 503;
  }));
  CHECK(page.body.find("http-equiv=\"refresh\"") != std::string::npos);
}

TEST_CASE("proxy: another job's agent gets no request", "[proxy]") {
  ProxyFixture fixture;
  // The other job's route leads to this job's agent, whose certificate has
  // another name.
  v1::WatchRoutesResponse change;
  v1::Route* route = change.add_routes();
  route->set_job_id(kOtherJob.value());
  route->set_address("127.0.0.1");
  route->set_port(static_cast<uint32_t>(fixture.agent.port()));
  fixture.backend->Push(change);
  const std::string cookie = fixture.OpenJob(kOtherJobHost);
  const int before = fixture.app.requests();
  auto client = fixture.Connect(kOtherJobHost);
  CHECK(WaitFor([&] {
    return client
               ->Ask(Request("GET /echo", kOtherJobHost,
                             "Cookie: " + cookie + "\r\n"))
               .status == 503;
  }));
  CHECK(fixture.app.requests() == before);
}

TEST_CASE("proxy: a renewed certificate is served to new connections",
          "[proxy]") {
  ProxyFixture fixture;
  auto old = fixture.Connect();
  TestCa next("next ca");
  TestIdentity renewed = next.Issue({kPortalHost, "*.jobs.test"});
  const std::string& path = fixture.directory.path();
  REQUIRE_THAT(WriteFile(path + "/public.pem", renewed.certificate_pem, 0600),
               IsOk());
  fixture.server->RefreshCertificates();  // the key is old
  CHECK(fixture.Connect()->connected());
  REQUIRE_THAT(WriteFile(path + "/public.key", renewed.key_pem, 0600), IsOk());
  fixture.server->RefreshCertificates();
  TlsClient::Options options = fixture.ClientOptions(kJobHost);
  options.ca_pem = next.certificate_pem();
  CHECK(WaitFor([&] { return TlsClient(fixture.port, options).connected(); }));
  CHECK(old->Ask(Request("GET /echo", kJobHost,
                         "Cookie: " + fixture.cookie + "\r\n"))
            .status == 200);
}

}  // namespace
}  // namespace carme::testing
