// Two proxies behind one name, with one backend.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/proxy/fixtures/running_proxy.h"

namespace carme::testing {
namespace {

struct TwoProxies {
  TwoProxies() {
    const std::string directory = first.fixture.directory.path() + "/second";
    REQUIRE(std::filesystem::create_directory(directory));
    std::string text = *ReadFile(first.config);
    const std::string key = "state_directory = \"";
    const size_t at = text.find(key) + key.size();
    text.replace(at, text.find('"', at) - at, directory);
    const std::string config = directory + "/proxy.toml";
    REQUIRE_THAT(WriteFile(config, text, 0600), IsOk());
    program.emplace(std::vector<std::string>{"--config", config}, log,
                    listener.get());
    On(second_port);
    first.fixture.WaitForRoutes();
    On(first_port);
  }
  // Clients connect to that proxy from now on.
  ProxyFixture& On(int port) {
    first.fixture.port = port;
    return first.fixture;
  }
  int Redeem(int port, const std::string& ticket) {
    On(port);
    return first.Redeem(ticket);
  }

  RunningProxy first;
  const int first_port = first.fixture.port;
  UniqueFd listener = *ListenTcp("127.0.0.1:0");
  const int second_port = *PortOf(listener.get());
  const std::string log = first.fixture.directory.path() + "/second.log";
  std::optional<ProxyProgram> program;
};

TEST_CASE("several proxies: a link to an app works at one of them", "[proxy]") {
  TwoProxies proxies;
  const std::string ticket = proxies.first.fixture.Ticket();
  CHECK(proxies.Redeem(proxies.first_port, ticket) == 303);
  CHECK(proxies.Redeem(proxies.second_port, ticket) == 403);
  CHECK(proxies.Redeem(proxies.second_port, proxies.first.fixture.Ticket()) ==
        303);
}

TEST_CASE("several proxies: without the backend a link works at none",
          "[proxy]") {
  TwoProxies proxies;
  const std::string ticket = proxies.first.fixture.Ticket();
  proxies.first.fixture.backend.reset();
  CHECK(proxies.Redeem(proxies.first_port, ticket) == 403);
  CHECK(proxies.Redeem(proxies.second_port, ticket) == 403);
}

TEST_CASE("several proxies: an opened app is open at all of them", "[proxy]") {
  TwoProxies proxies;
  const std::string cookie = proxies.On(proxies.first_port).OpenJob();
  ProxyFixture& fixture = proxies.On(proxies.second_port);
  fixture.cookie = cookie;
  CHECK(fixture.Get("/echo").status == 200);
  fixture.OpenWebsocket(cookie);
}

TEST_CASE("several proxies: work with an older backend", "[proxy]") {
  TwoProxies proxies;
  proxies.first.fixture.backend->SetOlder(true);
  CHECK(proxies.Redeem(proxies.first_port, proxies.first.fixture.Ticket()) ==
        303);
  CHECK(proxies.first.program->Says("the backend is older than this proxy"));
}

}  // namespace
}  // namespace carme::testing
