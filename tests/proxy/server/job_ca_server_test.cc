// Connections to agents after a change of the job CA.
#include <catch2/catch.hpp>

#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

// One loop, so that one pool has all connections.
struct OneLoop : public ProxyFixture {
  OneLoop()
      : ProxyFixture([](proxy::ProxyConfig& given) { given.loops = 1; }) {}
  // Sends the issuers and waits for the loop.
  void NameIssuers(const std::string& pem) {
    v1::WatchRoutesResponse snapshot = Snapshot();
    snapshot.mutable_keys()->set_job_ca_pem(pem);
    backend->SetSnapshot(snapshot);
    // Messages are applied in order: this job is known afterwards.
    v1::WatchRoutesResponse after;
    v1::Route* route = after.add_routes();
    route->set_job_id(kOtherJob.value());
    route->set_address("127.0.0.1");
    route->set_port(1);
    const std::string other = OpenJob(kOtherJobHost, "session-1");
    const auto status = [&] {
      return Connect(kOtherJobHost)
          ->Ask(Request("GET /", kOtherJobHost, "Cookie: " + other + "\r\n"))
          .status;
    };
    REQUIRE(status() == 404);
    backend->Push(after);
    REQUIRE(WaitFor([&] { return status() != 404; }));
    RemoveRoute(kOtherJob);
    REQUIRE(WaitFor([&] { return status() == 404; }));
  }
};

TEST_CASE("job CA: rejects an agent of another issuer", "[proxy]") {
  OneLoop fixture;
  const TestCa next("next job ca");
  fixture.agent.MoveTo(next);
  CHECK(fixture.Get("/echo").status == 503);
  fixture.NameIssuers(next.certificate_pem());
  CHECK(fixture.Get("/echo").status == 200);
}

TEST_CASE("job CA: a new one closes idle connections and TLS sessions",
          "[proxy]") {
  OneLoop fixture;
  const TestCa next("next job ca");
  REQUIRE(fixture.Get("/echo").status == 200);
  REQUIRE(fixture.agent.connections() == 1);
  // The agent still has its old certificate and a session ticket.
  fixture.NameIssuers(next.certificate_pem());
  CHECK(fixture.Get("/echo").status == 503);
  CHECK(fixture.agent.connections() > 1);
}

TEST_CASE("job CA: a new one closes open connections to agents of the old one",
          "[proxy]") {
  OneLoop fixture;
  const TestCa next("next job ca");
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  fixture.NameIssuers(next.certificate_pem());
  CHECK(websocket->EndsWithin(kSoon));
}

TEST_CASE("job CA: a session of the old one is not resumed", "[proxy]") {
  OneLoop fixture;
  const TestCa next("next job ca");
  // Open while both CAs are valid, idle when one is.
  auto slow = fixture.Connect();
  slow->Send(
      Request("GET /held", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
  REQUIRE(WaitFor([&] { return fixture.app.holding() == 1; }));
  fixture.NameIssuers(fixture.job_ca.certificate_pem() +
                      next.certificate_pem());
  fixture.app.Release();
  CHECK(slow->ReadResponse().status == 200);
  fixture.NameIssuers(next.certificate_pem());
  CHECK(fixture.Get("/echo").status == 503);
}

TEST_CASE("job CA: an additional one closes no connection", "[proxy]") {
  OneLoop fixture;
  const TestCa next("next job ca");
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  REQUIRE(fixture.Get("/echo").status == 200);
  const int before = fixture.agent.connections();
  fixture.NameIssuers(fixture.job_ca.certificate_pem() +
                      next.certificate_pem());
  // A backend that reconnects sends the same issuers again.
  fixture.NameIssuers(fixture.job_ca.certificate_pem() +
                      next.certificate_pem());
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(fixture.agent.connections() == before);
  websocket->Send("ping");
  CHECK(websocket->Read(4) == "ping");
  fixture.agent.MoveTo(next);
  fixture.NameIssuers(next.certificate_pem());
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(fixture.Get("/echo").status == 200);
}

}  // namespace
}  // namespace carme::testing
