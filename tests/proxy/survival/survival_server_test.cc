// Changed clocks, dying agents, lost browsers and nodes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

bool Alive(TlsClient& websocket) {
  websocket.Send("ping");
  return websocket.Read(4) == "ping";
}

TEST_CASE("clock: a grant expires when the clock is set ahead", "[proxy]") {
  ProxyFixture fixture;
  const std::string lasting =
      fixture.OpenJob(kJobHost, "session-2", absl::Hours(3));
  auto brief = fixture.OpenWebsocket(fixture.cookie);
  auto other = fixture.OpenWebsocket(lasting);
  fixture.clock.Move(absl::Minutes(61));
  fixture.server->CheckClock();
  CHECK(brief->EndsWithin(kSoon));
  CHECK(fixture.Get("/echo").status == 401);
  CHECK(Alive(*other));
  // Set back: ended connections stay closed, the grant is valid again.
  fixture.clock.Move(-absl::Minutes(61));
  fixture.server->CheckClock();
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(Alive(*other));
}

TEST_CASE("clock: set back, grants stay valid", "[proxy]") {
  ProxyFixture fixture;
  // Long enough for this machine to open something before the end.
  std::unique_ptr<TlsClient> websocket;
  int status = 0;
  absl::Duration lives = absl::Seconds(2);
  for (; status != 101; lives *= 2) {
    REQUIRE(lives < kWaitTimeout);
    auto opens = fixture.Connect();
    const std::string ticket = fixture.Ticket(kJob, "session-1", lives);
    const std::string set =
        opens->Ask(Request("GET /.carme/open?ticket=" + ticket, kJobHost))
            .Value("Set-Cookie");
    websocket = fixture.Connect();
    status = fixture.AskWebsocket(websocket.get(), set.substr(0, set.find(';')))
                 .status;
  }
  CHECK(websocket->Read(5) == "hello");
  fixture.clock.Move(-absl::Hours(1));
  fixture.server->CheckClock();
  // Longer than the grant's lifetime by a steady clock.
  CHECK_FALSE(websocket->EndsWithin(lives));
  CHECK(Alive(*websocket));
  fixture.clock.Move(absl::Hours(1));
  fixture.server->CheckClock();
  CHECK(websocket->EndsWithin(kSoon));
}

TEST_CASE("clock: tickets work once after it was set", "[proxy]") {
  ProxyFixture fixture;
  const auto redeem = [&](const std::string& ticket) {
    return fixture.Connect()
        ->Ask(Request("GET /.carme/open?ticket=" + ticket, kJobHost))
        .status;
  };
  for (const absl::Duration by :
       {-absl::Hours(1), absl::Hours(2), -absl::Hours(1)}) {
    fixture.clock.Move(by);
    fixture.server->CheckClock();
    // Its grant must be valid for the agent, whose clock was not set.
    const std::string ticket =
        fixture.Ticket(kJob, "session-1", absl::Hours(5));
    CHECK(redeem(ticket) == 303);
    CHECK(redeem(ticket) == 403);
  }
}

TEST_CASE("backend unavailable for an hour: requests work, grants expire",
          "[proxy]") {
  ProxyFixture fixture;
  const std::string mine =
      fixture.OpenJob(kJobHost, "session-2", absl::Hours(5));
  auto websocket = fixture.OpenWebsocket(mine);
  auto brief = fixture.OpenWebsocket(fixture.cookie);
  const int port = fixture.backend->port();
  fixture.backend.reset();
  const auto ask = [&] {
    return fixture.Connect()
        ->Ask(Request("GET /echo", kJobHost, "Cookie: " + mine + "\r\n"))
        .status;
  };
  for (int minutes = 0; minutes < 70; minutes += 10) {
    fixture.clock.Move(absl::Minutes(10));
    fixture.server->CheckClock();
    CHECK(ask() == 200);
  }
  CHECK(Alive(*websocket));
  CHECK(brief->EndsWithin(kSoon));
  fixture.StartBackend(port);
  CHECK(WaitFor([&] { return fixture.backend->streams() == 1; }));
  CHECK(Alive(*websocket));
  fixture.Revoke("session-2");
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(fixture.WaitForLoops([&] { return ask() == 401; }));
}

TEST_CASE("agent: its death within a response aborts the response", "[proxy]") {
  ProxyFixture fixture;
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  // In chunks, until the end of the connection, with a length.
  auto chunks = fixture.Connect(), until_end = fixture.Connect();
  auto length = fixture.Connect();
  chunks->Send(Request("GET /drip", kJobHost, cookie));
  until_end->Send(Request("GET /trickle", kJobHost, cookie));
  length->Send(Request("GET /stall", kJobHost, cookie));
  TlsClient::Options options = fixture.ClientOptions(kJobHost);
  options.alpn = "h2";
  Http2Client http2(fixture.port, options, Http2Client::Options());
  const auto open = [&](const std::string& path) {
    return http2.Open({{":method", "GET"},
                       {":scheme", "https"},
                       {":authority", kJobHost},
                       {":path", path},
                       {"cookie", fixture.cookie}});
  };
  const std::vector<int32_t> ids = {open("/drip"), open("/trickle"),
                                    open("/stall")};
  CHECK(chunks->Read(200).find("drip") != std::string::npos);
  CHECK(until_end->Read(200).find("drip") != std::string::npos);
  CHECK(length->Read(50).size() == 50);
  CHECK(http2.ReadUntil([&] {
    return std::all_of(ids.begin(), ids.end(), [&](int32_t id) {
      return !http2.answer(id).body.empty();
    });
  }));

  fixture.agent.Die();
  for (TlsClient* client : {chunks.get(), until_end.get(), length.get()}) {
    const std::string rest = client->Read(SIZE_MAX);
    CHECK(rest.find("\r\n0\r\n") == std::string::npos);
    CHECK((client != length.get() || rest.size() < 90));
    CHECK(client->EndsWithin(kSoon));
  }
  for (const int32_t id : ids) {
    CHECK(http2.ReadUntil([&] {
      return http2.answer(id).reset.has_value() || http2.answer(id).ended;
    }));
    CHECK(http2.answer(id).reset.has_value());
  }
  // The connection itself stays usable.
  CHECK(http2.Sync());
  CHECK_FALSE(http2.goaway().has_value());
}

// Connections to that port of this host, by source.
int OpenTo(int port) {
  std::ifstream table("/proc/net/tcp");
  std::string line, slot, local, remote, state;
  std::getline(table, line);
  int count = 0;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    fields >> slot >> local >> remote >> state;
    const std::string at = remote.substr(remote.find(':') + 1);
    if (state == "01" && std::stoi(at, nullptr, 16) == port) ++count;
  }
  return count;
}

TEST_CASE("agent: closes and reopens connections to a lost node", "[proxy]") {
  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.tcp_keepalive_timeout = absl::Seconds(2);
    config.limits.agent_idle_timeout = absl::Hours(1);
  });
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  CHECK(fixture.Get("/echo").status == 200);
  // The test's own, and an idle one.
  CHECK(OpenTo(fixture.agent.port()) == 2);
  fixture.agent.Vanish();
  CHECK(WaitFor([&] { return OpenTo(fixture.agent.port()) == 0; }, kSoon));
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(fixture.Get("/echo").status == 200);
}

TEST_CASE("browser: closes lost connections, keeps idle ones", "[proxy]") {
  // Beside each other, because both take seconds. In a download:
  ProxyFixture busy([](proxy::ProxyConfig& config) {
    config.limits.body_timeout = absl::Seconds(5);
  });
  TlsClient::Options options = busy.ClientOptions(kJobHost);
  options.receive_bytes = 4096;  // far less than there is to read
  TlsClient download(busy.port, options);
  download.Send(
      Request("GET /big", kJobHost, "Cookie: " + busy.cookie + "\r\n"));
  CHECK(download.Read(100).size() == 100);
  download.Vanish();

  ProxyFixture fixture([](proxy::ProxyConfig& config) {
    config.limits.tcp_keepalive_timeout = absl::Seconds(2);
  });
  auto silent = fixture.OpenWebsocket(fixture.cookie);
  auto vanishes = fixture.OpenWebsocket(fixture.cookie);
  REQUIRE(WaitFor([&] { return fixture.server->connections() == 2; }));
  vanishes->Vanish();
  CHECK(WaitFor([&] { return fixture.server->connections() == 1; }));
  CHECK(Alive(*silent));
  CHECK(WaitFor([&] { return busy.server->connections() == 0; }));
}

}  // namespace
}  // namespace carme::testing
