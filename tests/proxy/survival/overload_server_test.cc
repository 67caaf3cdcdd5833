// Behaviour without free descriptors or memory.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "tests/proxy/fixtures/plain_client.h"
#include "tests/proxy/fixtures/running_proxy.h"
#include "tests/support/held_port.h"

namespace carme::testing {
namespace {

// Processor time of all its threads.
absl::Duration UsedBy(pid_t pid) {
  auto text = ReadFile("/proc/" + std::to_string(pid) + "/stat");
  long user = 0, system = 0;
  // After the name, which may contain blanks.
  std::sscanf(text->c_str() + text->rfind(')'),
              ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
              &system);
  return absl::Seconds(static_cast<double>(user + system) /
                       static_cast<double>(sysconf(_SC_CLK_TCK)));
}

TEST_CASE("descriptors: each accepted client has one for its upstream",
          "[proxy]") {
  ProxyProgram::Options options;
  options.descriptors = 160;  // a hundred are kept for everything else
  RunningProxy running("loops = 1\n", "", options);
  ProxyFixture& fixture = running.fixture;
  CHECK(running.program->Says(
      "descriptor limit too low for max_connections max_connections=30"));
  // The earlier ones must disconnect first.
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

// The sanitizer needs a pipe to check types, and fails without descriptors.
#ifdef __SANITIZE_ADDRESS__
constexpr char kWithoutDescriptors[] = "[.proxy]";
#else
constexpr char kWithoutDescriptors[] = "[proxy]";
#endif

TEST_CASE("descriptors: without any left it waits without spinning",
          kWithoutDescriptors) {
  RunningProxy running("loops = 1\n");
  ProxyFixture& fixture = running.fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  const pid_t pid = running.program->pid();
  rlimit before{};
  REQUIRE(prlimit(pid, RLIMIT_NOFILE, nullptr, &before) == 0);
  // Open connections stay open.
  const rlimit none{3, before.rlim_max};
  REQUIRE(prlimit(pid, RLIMIT_NOFILE, &none, nullptr) == 0);
  std::vector<std::thread> waiting;
  std::atomic<int> served = 0;
  for (int i = 0; i < 8; ++i) {
    waiting.emplace_back([&] {
      TlsClient client(fixture.port, fixture.ClientOptions(kJobHost));
      if (client.Ask(Request("GET /echo", kPortalHost)).status == 421) ++served;
      // Waits until all have arrived.
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
  // A spinning loop would use a whole core.
  const double share =
      absl::FDivDuration(UsedBy(pid) - used, absl::Now() - start);
  WARN("of a core while there are no descriptors: " << share);
  CHECK(share < 0.5);
  REQUIRE(prlimit(pid, RLIMIT_NOFILE, &before, nullptr) == 0);
  for (std::thread& thread : waiting) thread.join();
  CHECK(served == 8);
  CHECK(RunningProxy::Alive(*websocket));
}

// Sanitizers keep freed memory.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr int64_t kMib = 1 << 20;
constexpr size_t kMaxConnections = 5000;  // more than memory suffices for
constexpr char kLimits[] =
    "max_connections_per_address = 10000\nrequest_header_timeout_s = 300\n";

// A control group with a memory limit, in either hierarchy.
class MemoryGroup {
 public:
  explicit MemoryGroup(int64_t max) {
    std::filesystem::create_directory(path_);
    // Not by way of another file.
    std::ofstream limit(path_ +
                        (kOld ? "/memory.limit_in_bytes" : "/memory.max"));
    REQUIRE(limit << max << std::flush);
  }
  ~MemoryGroup() {
    // The kernel needs a moment to notice that the group is empty.
    WaitFor([&] { return rmdir(path_.c_str()) == 0 || errno != EBUSY; });
  }
  const std::string& path() const { return path_; }
  // The number of processes that the kernel killed there.
  std::string killed() const {
    const auto text =
        ReadFile(path_ + (kOld ? "/memory.oom_control" : "/memory.events"));
    const size_t at = text->find("oom_kill ");
    return text->substr(at, text->find('\n', at) - at);
  }

 private:
  static inline const bool kOld =
      std::filesystem::exists("/sys/fs/cgroup/memory/cgroup.procs");
  // Named like the cluster's own, which are cleaned up.
  const std::string path_ =
      std::string(kOld ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup") +
      "/carme-" + std::to_string(getpid());
};

// In bytes.
int64_t Resident(const RunningProxy& running) {
  auto text =
      ReadFile("/proc/" + std::to_string(running.program->pid()) + "/status");
  return std::atol(text->c_str() + text->find("VmRSS:") + 6) << 10;
}

int64_t AtRest() {
  static const int64_t found = [] {
    RunningProxy running("loops = 1\n", kLimits);
    running.fixture.Get("/echo");
    return Resident(running);
  }();
  return found;
}

// More clients than memory: they are accepted up to the limit, accepted ones
// stay, and after some left others are accepted.
void OutlivesACrowd(
    RunningProxy& running, const std::function<void()>& meanwhile = [] {}) {
  ProxyFixture& fixture = running.fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  // Bodies that are not read.
  TlsClient::Options slow = fixture.ClientOptions(kJobHost);
  slow.receive_bytes = 4096;
  std::vector<std::unique_ptr<TlsClient>> readers, greedy;
  for (int i = 0; i < 8; ++i) {
    readers.push_back(std::make_unique<TlsClient>(fixture.port, slow));
    readers.back()->Send(
        Request("GET /big", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
    CHECK(readers.back()->Read(100).size() == 100);
  }
  // Each sends half a head and then waits.
  const std::string half = "GET / HTTP/1.1\r\nX: " + std::string(30'000, 'x');
  const int64_t before = Resident(running);
  CHECK(WaitFor([&] {
    auto client = std::make_unique<TlsClient>(fixture.port,
                                              fixture.ClientOptions(kJobHost));
    if (!client->connected()) return true;
    client->Send(half);
    greedy.push_back(std::move(client));
    return greedy.size() >= kMaxConnections;
  }));
  WARN(greedy.size() << " connections with half a head took "
                     << (Resident(running) - before) / 1024 << " KiB");
  REQUIRE(running.program->Says("memory limit reached"));
  CHECK(greedy.size() < kMaxConnections);
  meanwhile();
  CHECK(RunningProxy::Alive(*websocket));
  for (auto& reader : readers) CHECK(reader->Read(1 << 20).size() >= 1 << 20);
  greedy.clear();
  CHECK(WaitFor([&] {
    return TlsClient(fixture.port, fixture.ClientOptions(kJobHost)).connected();
  }));
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(RunningProxy::Alive(*websocket));
}

TEST_CASE("memory: at the limit new clients are rejected and others stay",
          "[proxy]") {
  const HeldPort metrics;
  RunningProxy running("loops = 1\nmetrics_listen = \"127.0.0.1:" +
                           std::to_string(metrics.number()) + "\"\n",
                       std::string(kLimits) + "max_memory_mib = " +
                           std::to_string(AtRest() / kMib + 16) + "\n");
  OutlivesACrowd(running, [&] {
    // Admin connections are accepted.
    const auto page =
        AskPlain(metrics.number(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
                 kWaitTimeout);
    CHECK(page.value_or("").find("limited_total{limit=\"memory\"} ") !=
          std::string::npos);
    CHECK(page.value_or("").find("limited_total{limit=\"memory\"} 0\n") ==
          std::string::npos);
  });
}

TEST_CASE("memory: the limit applies before the kernel's in a control group",
          "[proxy]") {
  const MemoryGroup group((AtRest() + 16 * kMib) / 4 * 5);
  ProxyProgram::Options options;
  options.control_group = group.path();
  RunningProxy running("loops = 1\n", kLimits, options);
  OutlivesACrowd(running);
  CHECK(group.killed() == "oom_kill 0");
  running.program->Kill();
}
#endif

}  // namespace
}  // namespace carme::testing
