// When descriptors or memory run out.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/proxy/plain_client.h"
#include "tests/proxy/running_proxy.h"
#include "tests/support/held_port.h"

namespace carme::testing {
namespace {

// Processor time of all its threads.
absl::Duration UsedBy(pid_t pid) {
  auto text = ReadFile("/proc/" + std::to_string(pid) + "/stat");
  long user = 0, system = 0;
  // Behind the name, which may have blanks in it.
  std::sscanf(text->c_str() + text->rfind(')'),
              ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
              &system);
  return absl::Seconds(static_cast<double>(user + system) /
                       static_cast<double>(sysconf(_SC_CLK_TCK)));
}

long ResidentKib(pid_t pid) {
  auto text = ReadFile("/proc/" + std::to_string(pid) + "/status");
  const size_t at = text->find("VmRSS:");
  return std::atol(text->c_str() + at + 6);
}

TEST_CASE("descriptors: who is let in finds one for the way on", "[proxy]") {
  ProxyProgram::Options options;
  options.descriptors = 160;  // a hundred are kept for everything else
  RunningProxy running("loops = 1\n", "", options);
  ProxyFixture& fixture = running.fixture;
  CHECK(running.program->Says("for want of descriptors most=30"));
  // Those of before have to leave first.
  std::vector<std::unique_ptr<TlsClient>> websockets;
  REQUIRE(WaitFor([&] {
    auto client = std::make_unique<TlsClient>(fixture.port,
                                              fixture.ClientOptions(kJobHost));
    if (client->connected() &&
        fixture.AskWebsocket(client.get(), fixture.cookie).status == 101) {
      client->Read(5);
      websockets.push_back(std::move(client));
    }
    return websockets.size() == 30;
  }));
  TlsClient one_more(fixture.port, fixture.ClientOptions(kJobHost));
  CHECK_FALSE(one_more.connected());
  for (auto& websocket : websockets) CHECK(RunningProxy::Alive(*websocket));
}

TEST_CASE("descriptors: without any left it waits, and does not spin",
          "[proxy]") {
  RunningProxy running("loops = 1\n");
  ProxyFixture& fixture = running.fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  const pid_t pid = running.program->pid();
  rlimit before{};
  REQUIRE(prlimit(pid, RLIMIT_NOFILE, nullptr, &before) == 0);
  // Those that are open stay open.
  const rlimit none{3, before.rlim_max};
  REQUIRE(prlimit(pid, RLIMIT_NOFILE, &none, nullptr) == 0);
  std::vector<std::thread> waiting;
  std::atomic<int> served = 0;
  for (int i = 0; i < 8; ++i) {
    waiting.emplace_back([&] {
      TlsClient client(fixture.port, fixture.ClientOptions(kJobHost));
      if (client.Ask(Request("GET /echo", kPortalHost)).status == 421) ++served;
      // It stays until all have come.
      WaitFor([&] { return served == 8; });
    });
  }
  const absl::Duration used = UsedBy(pid);
  absl::Time start = absl::Now();
  while (absl::Now() - start < absl::Seconds(2)) {
    CHECK(RunningProxy::Alive(*websocket));
    absl::SleepFor(absl::Milliseconds(50));
  }
  CHECK(served == 0);
  // A loop that spins would use all of it.
  const double share =
      absl::FDivDuration(UsedBy(pid) - used, absl::Now() - start);
  WARN("of a core while there are no descriptors: " << share);
  CHECK(share < 0.5);
  REQUIRE(prlimit(pid, RLIMIT_NOFILE, &before, nullptr) == 0);
  for (std::thread& thread : waiting) thread.join();
  CHECK(served == 8);
  CHECK(RunningProxy::Alive(*websocket));
}

// The sanitizers keep what is given back.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("memory: when it is short nobody new is let in, and all others stay",
          "[proxy]") {
  const HeldPort metrics;
  const std::string top = "loops = 1\nmetrics_listen = \"127.0.0.1:" +
                          std::to_string(metrics.number()) + "\"\n";
  long at_rest = 0;
  {
    RunningProxy running(top);
    running.fixture.Get("/echo");
    at_rest = ResidentKib(running.program->pid());
  }
  RunningProxy running(
      top,
      "most_connections_per_address = 5000\nhead_timeout_s = 300\n"
      "most_memory_mib = " +
          std::to_string(at_rest / 1024 + 16) + "\n");
  ProxyFixture& fixture = running.fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  // Each sends half a head and keeps the proxy waiting for the rest.
  std::vector<std::unique_ptr<TlsClient>> greedy;
  const std::string half = "GET / HTTP/1.1\r\nX: " + std::string(30'000, 'x');
  CHECK(WaitFor([&] {
    auto client = std::make_unique<TlsClient>(fixture.port,
                                              fixture.ClientOptions(kJobHost));
    if (!client->connected()) return true;
    client->Send(half);
    greedy.push_back(std::move(client));
    return greedy.size() > 3000;
  }));
  WARN(greedy.size() << " connections with half a head took "
                     << ResidentKib(running.program->pid()) - at_rest
                     << " KiB");
  REQUIRE(running.program->Says("short of memory"));
  CHECK(greedy.size() < 3000);
  CHECK(RunningProxy::Alive(*websocket));
  // The house is let in.
  const auto page = AskPlain(
      metrics.number(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", kPatience);
  CHECK(page.value_or("").find("limited_total{limit=\"memory\"} 0\n") ==
        std::string::npos);
  greedy.clear();
  CHECK(WaitFor([&] {
    return TlsClient(fixture.port, fixture.ClientOptions(kJobHost)).connected();
  }));
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(RunningProxy::Alive(*websocket));
}
#endif

}  // namespace
}  // namespace carme::testing
