// State after kill -9.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/proxy/fixtures/running_proxy.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

std::string RouteFile(const RunningProxy& running) {
  return running.fixture.directory.path() + "/routes";
}

// Waits until it is in the snapshot file.
bool Holds(const RunningProxy& running, const std::string& what) {
  return WaitFor([&] {
    auto text = ReadFile(RouteFile(running));
    return text.ok() && text->find(what) != std::string::npos;
  });
}

TEST_CASE("restart: routes survive kill -9 without the backend", "[proxy]") {
  RunningProxy running;
  ProxyFixture& fixture = running.fixture;
  const std::string other = fixture.OpenJob(kJobHost, "session-2");
  const std::string used = fixture.Ticket(), unused = fixture.Ticket();
  CHECK(running.Redeem(used) == 303);
  fixture.Revoke("session-2");
  REQUIRE(Holds(running, "session-2"));
  const auto mode = std::filesystem::status(RouteFile(running)).permissions();
  CHECK(mode == std::filesystem::perms(0600));

  const int backend_port = fixture.backend->port();
  fixture.backend.reset();
  running.program->Kill();
  const absl::Time start = absl::Now();
  running.Start();
  // Like a browser that retries.
  REQUIRE(WaitFor([&] { return fixture.Get("/echo").status == 200; }));
  WARN("back " << absl::FormatDuration(absl::Now() - start)
               << " after kill -9, without the backend");
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  // What had ended stays ended.
  const auto as_other = [&] {
    return fixture.Connect()
        ->Ask(Request("GET /echo", kJobHost, "Cookie: " + other + "\r\n"))
        .status;
  };
  CHECK(fixture.WaitForLoops([&] { return as_other() == 401; }));
  CHECK(running.Redeem(used) == 403);
  // Another proxy may have accepted it.
  CHECK(running.Redeem(unused) == 403);

  // An empty snapshot removes nothing; explicit removals do.
  fixture.backend =
      std::make_unique<RouteServer>(fixture.site_ca, backend_port);
  v1::WatchRoutesResponse nothing = fixture.Snapshot();
  nothing.clear_routes();
  fixture.backend->SetSnapshot(nothing);
  REQUIRE(running.program->Says("no longer lists known routes"));
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(as_other() == 401);
  CHECK(RunningProxy::Alive(*websocket));
  fixture.RemoveRoute(kJob);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(
      fixture.WaitForLoops([&] { return fixture.Get("/echo").status == 404; }));
}

TEST_CASE("restart: ignores a damaged route snapshot", "[proxy]") {
  RunningProxy running;
  REQUIRE(Holds(running, kJob.value()));
  running.program->Kill();
  const std::string good = *ReadFile(RouteFile(running));
  std::string bent = good;
  bent[bent.find(kJob.value())] = 'k';
  for (const auto& [text, mode] :
       {std::pair(bent, 0600u),
        std::pair(good.substr(0, good.size() - 1), 0600u),
        std::pair(std::string(), 0600u), std::pair(good, 0644u)}) {
    REQUIRE_THAT(WriteFile(RouteFile(running), text, 0600), IsOk());
    std::filesystem::permissions(RouteFile(running),
                                 std::filesystem::perms(mode));
    std::filesystem::remove(running.log);
    running.Start();
    CHECK(running.program->Says("route snapshot ignored"));
    // With the backend.
    CHECK(WaitFor([&] { return running.fixture.Get("/echo").status == 200; }));
    running.program->Kill();
  }
}

}  // namespace
}  // namespace carme::testing
