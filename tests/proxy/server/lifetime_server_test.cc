// Lifetimes: revocation, timeouts, limits, an unavailable backend.
#include <catch2/catch.hpp>
#include <vector>

#include "common/pki/certificate.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

// A few websockets on both loops, and a download.
struct Busy {
  Busy(ProxyFixture& fixture, const std::string& cookie) {
    for (int i = 0; i < 6; ++i) {
      clients.push_back(fixture.OpenWebsocket(cookie));
    }
    clients.push_back(fixture.Connect());
    clients.back()->Send(
        Request("GET /drip", kJobHost, "Cookie: " + cookie + "\r\n"));
    clients.back()->Read(10);
  }
  void CheckAllEnd() {
    for (auto& client : clients) CHECK(client->EndsWithin(kSoon));
  }
  std::vector<std::unique_ptr<TlsClient>> clients;
};

TEST_CASE("proxy: the end of a session closes its connections", "[proxy]") {
  ProxyFixture fixture;
  const std::string other = fixture.OpenJob(kJobHost, "session-2");
  Busy mine(fixture, fixture.cookie);
  auto theirs = fixture.OpenWebsocket(other);
  fixture.Revoke("session-1");
  mine.CheckAllEnd();
  CHECK(
      fixture.WaitForLoops([&] { return fixture.Get("/echo").status == 401; }));
  theirs->Send("ping");
  CHECK(theirs->Read(4) == "ping");
  // An unused ticket of the session is invalid now.
  auto client = fixture.Connect();
  CHECK(client
            ->Ask(Request("GET /.carme/open?ticket=" + fixture.Ticket(),
                          kJobHost))
            .status == 401);
}

TEST_CASE("proxy: the end of a job closes its connections", "[proxy]") {
  ProxyFixture fixture;
  Busy busy(fixture, fixture.cookie);
  fixture.RemoveRoute(kJob);
  busy.CheckAllEnd();
  TestResponse page;
  CHECK(fixture.WaitForLoops([&] {
    page = fixture.Get("/echo", "Accept: text/html\r\n");
    return page.status == 404;
  }));
  CHECK(page.body.find("This job has ended") != std::string::npos);
}

TEST_CASE("proxy: the end of a grant closes its connections", "[proxy]") {
  ProxyFixture fixture;
  // Long enough for this machine to open something before the end.
  std::string brief;
  std::unique_ptr<TlsClient> websocket;
  int status = 0;
  for (absl::Duration lives = absl::Seconds(2); status != 101; lives *= 2) {
    REQUIRE(lives < kWaitTimeout);
    auto opens = fixture.Connect();
    const std::string ticket = fixture.Ticket(kJob, "session-1", lives);
    const std::string set =
        opens->Ask(Request("GET /.carme/open?ticket=" + ticket, kJobHost))
            .Value("Set-Cookie");
    brief = set.substr(0, set.find(';'));
    websocket = fixture.Connect();
    status = fixture.AskWebsocket(websocket.get(), brief).status;
  }
  CHECK(websocket->EndsWithin(kWaitTimeout));
  auto client = fixture.Connect();
  CHECK(client->Ask(Request("GET /echo", kJobHost, "Cookie: " + brief + "\r\n"))
            .status == 401);
}

TEST_CASE("proxy: only the reported end of a job closes its connections",
          "[proxy]") {
  ProxyFixture fixture;
  Busy busy(fixture, fixture.cookie);
  v1::WatchRoutesResponse snapshot = fixture.Snapshot();
  snapshot.clear_routes();
  fixture.backend->SetSnapshot(snapshot);
  // A later message was applied, so this one was, too.
  fixture.Revoke("session-2");
  CHECK(fixture.WaitForLoops([&] {
    auto client = fixture.Connect();
    return client
               ->Ask(Request("GET /.carme/open?ticket=" +
                                 fixture.Ticket(kJob, "session-2"),
                             kJobHost))
               .status == 401;
  }));
  CHECK(fixture.Get("/echo").status == 200);
  for (size_t i = 0; i + 1 < busy.clients.size(); ++i) {
    busy.clients[i]->Send("ping");
    CHECK(busy.clients[i]->Read(4) == "ping");
  }
  CHECK(busy.clients.back()->Read(30).size() == 30);
  fixture.RemoveRoute(kJob);
  busy.CheckAllEnd();
}

TEST_CASE("proxy: works while the backend is unavailable", "[proxy]") {
  ProxyFixture fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  const int backend_port = fixture.backend->port();
  fixture.backend.reset();
  for (int i = 0; i < 10; ++i) CHECK(fixture.Get("/echo").status == 200);
  websocket->Send("ping");
  CHECK(websocket->Read(4) == "ping");
  // A ticket that was issued before still works.
  fixture.OpenJob();

  fixture.StartBackend(backend_port);
  CHECK(WaitFor([&] { return fixture.backend->streams() == 1; }));
  websocket->Send("pong");
  CHECK(websocket->Read(4) == "pong");
  fixture.RemoveRoute(kJob);
  CHECK(websocket->EndsWithin(kSoon));
}

TEST_CASE("proxy: rejects a backend with a revoked certificate", "[proxy]") {
  ProxyFixture fixture;
  CHECK(WaitFor([&] { return fixture.backend->streams() == 1; }));
  fixture.WriteRevoked(
      {ReadCertificate(fixture.backend->certificate_pem())->serial});
  CHECK(WaitFor([&] { return fixture.backend->streams() == 0; }));
  fixture.RemoveRoute(kJob);
  absl::SleepFor(absl::Milliseconds(1500));
  CHECK(fixture.backend->streams() == 0);
  // Known routes stay.
  CHECK(fixture.Get("/echo").status == 200);
  // A valid certificate again.
  const int port = fixture.backend->port();
  fixture.backend.reset();
  fixture.StartBackend(port);
  CHECK(WaitFor([&] { return fixture.backend->streams() == 1; }));
}

TEST_CASE("proxy: an expired revocation list is still used", "[proxy]") {
  ProxyFixture fixture;
  CHECK(WaitFor([&] { return fixture.backend->streams() == 1; }));
  fixture.WriteRevoked(
      {ReadCertificate(fixture.backend->certificate_pem())->serial}, -30);
  CHECK(WaitFor([&] { return fixture.backend->streams() == 0; }));
  fixture.WriteRevoked({"0a"}, -30);
  CHECK(WaitFor([&] { return fixture.backend->streams() == 1; }));
}

TEST_CASE("proxy: answers 408 to a slow head", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.request_header_timeout = absl::Seconds(3);
    config.limits.keep_alive_timeout = absl::Seconds(1);
  });
  auto silent = fixture.Connect();
  // Each byte in time, the whole too late.
  auto slow = fixture.Connect();
  const std::string line = "GET /echo HTTP/1.1\r\nX: ";
  const absl::Time start = absl::Now();
  for (size_t i = 0;
       i < line.size() && absl::Now() - start < absl::Milliseconds(2900); ++i) {
    slow->Send(line.substr(i, 1));
    absl::SleepFor(absl::Milliseconds(120));
  }
  CHECK(slow->ReadResponse().status == 408);
  CHECK(silent->EndsWithin(absl::Seconds(10)));  // 15 s unless configured
  auto idle = fixture.Connect();
  CHECK(idle->Ask(Request("GET /echo", kPortalHost)).status == 421);
  CHECK(idle->EndsWithin(kSoon));
}

TEST_CASE("proxy: limits the bytes of a head", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  TestResponse response = client->Ask(Request(
      "GET /echo", kJobHost, "X: " + std::string(40'000, 'x') + "\r\n"));
  CHECK(response.status == 431);
}

TEST_CASE("proxy: limits connections in total and by address", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.max_connections_per_address = 3;
  });
  CHECK(WaitFor([&] { return fixture.server->connections() == 0; }));
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(fixture.Connect());
  TlsClient fourth(fixture.port, fixture.ClientOptions(kJobHost));
  CHECK_FALSE(fourth.connected());
  clients.pop_back();
  CHECK(WaitFor([&] {
    return TlsClient(fixture.port, fixture.ClientOptions(kJobHost)).connected();
  }));
}

TEST_CASE("proxy: finishes open requests when it stops", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    // Websockets get a quarter of it.
    config.limits.drain_timeout = absl::Seconds(12);
    config.loops = 1;  // one ended connection implies the others
  });
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  auto idle = fixture.Connect();
  CHECK(idle->Ask(Request("GET /echo", kJobHost,
                          "Cookie: " + fixture.cookie + "\r\n"))
            .status == 200);
  auto running = fixture.Connect();
  running->Send(
      Request("GET /held", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
  REQUIRE(WaitFor([&] { return fixture.app.holding() == 1; }));
  const absl::Time start = absl::Now();
  std::thread drain([&] { fixture.server->Drain(); });
  CHECK(idle->EndsWithin(kSoon));
  fixture.app.Release();
  TestResponse response = running->ReadResponse();
  CHECK(response.status == 200);
  CHECK(response.Value("Connection") == "close");
  CHECK(websocket->EndsWithin(start + absl::Seconds(10) - absl::Now()));
  drain.join();
  CHECK(fixture.server->connections() == 0);
}

TEST_CASE("proxy: reuses a connection to an agent for one grant only",
          "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) { config.loops = 1; });
  for (int i = 0; i < 10; ++i) CHECK(fixture.Get("/echo").status == 200);
  CHECK(fixture.agent.connections() == 1);
  const std::string other = fixture.OpenJob(kJobHost, "session-2");
  auto client = fixture.Connect();
  CHECK(client->Ask(Request("GET /echo", kJobHost, "Cookie: " + other + "\r\n"))
            .status == 200);
  CHECK(fixture.agent.connections() == 2);
  CHECK(fixture.agent.refused() == 0);
}

}  // namespace
}  // namespace carme::testing
