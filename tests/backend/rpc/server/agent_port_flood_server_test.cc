// A flood of connections to the agents' port, by a process that has nothing
// but sockets, against the real ports with TLS and guard.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <malloc.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "backend/wiring/housekeeping.h"
#include "common/unique_fd.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using testing::WaitFor;

constexpr int kFlood = 3000;
constexpr int kLimit = 64;
constexpr char kFrontend[] = "URI:carme://frontend/dmz";
constexpr char kRegister[] = "/carme.v1.AgentService/Register";

// Both ends of the flood are in this process.
const bool enough_descriptors = [] {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}();

FixedSessions sessions;

GuardedServer Serve(const std::function<void(TlsConfig*)>& change) {
  return GuardedServer(&sessions, ServiceMap(), nullptr,
                       [&](TlsConfig* config) {
                         config->agents = "[::]:0";
                         config->max_agent_connections_per_address = kLimit;
                         change(config);
                       });
}

// Of 127.0.0.1, without a byte.
std::vector<UniqueFd> Flood(int port, int connections) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<UniqueFd> fds;
  for (int i = 0; i < connections; ++i) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                sizeof address) == 0) {
      fds.push_back(std::move(fd));
    }
  }
  return fds;
}

int StillOpen(const std::vector<UniqueFd>& fds) {
  int open = 0;
  for (const UniqueFd& fd : fds) {
    pollfd state{fd.get(), POLLIN, 0};
    char byte = 0;
    const bool over = poll(&state, 1, 0) > 0 &&
                      recv(fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
    open += over ? 0 : 1;
  }
  return open;
}

bool IsLetIn(const std::shared_ptr<grpc::Channel>& channel, const char* path,
             const CallMetadata& metadata = {}) {
  return Call(channel, path, metadata).error_code() ==
         grpc::StatusCode::UNIMPLEMENTED;
}

// An address of this host outside of 127.0.0.0/8, which counts as one address.
// The private cluster's hosts have no ::1.
std::string OtherAddress() {
  ifaddrs* list = nullptr;
  REQUIRE(getifaddrs(&list) == 0);
  std::string found = "[::1]";
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET ||
        (one->ifa_flags & IFF_LOOPBACK) != 0) {
      continue;
    }
    char text[INET_ADDRSTRLEN] = "";
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    found = text;
  }
  freeifaddrs(list);
  return found;
}

size_t ResidentBytes() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096;
}

TEST_CASE(
    "agents' port: a flood from one address does not block other agents and "
    "clients",
    "[backend]") {
  REQUIRE(enough_descriptors);
  GuardedServer server = Serve([](TlsConfig*) {});
  std::vector<UniqueFd> flood = Flood(server.port(Port::kAgents), kFlood);
  REQUIRE(flood.size() > kFlood / 2);
  CHECK(WaitFor([&] { return StillOpen(flood) <= kLimit; }));
  CHECK(server.agent_connections().open <= kLimit);
  CHECK(server.agent_connections().refused > kFlood / 2 - kLimit);
  // An agent of another address, while all of them are held, and the frontend.
  CHECK(IsLetIn(server.ConnectTo(OtherAddress(), Port::kAgents), kRegister));
  CHECK(IsLetIn(server.Connect(Port::kClients, kFrontend),
                "/carme.v1.AuthService/Login"));
  // An agent of the flood's own address has its turn once there is room.
  flood.clear();
  CHECK(WaitFor(
      [&] { return IsLetIn(server.Connect(Port::kAgents, ""), kRegister); }));
}

TEST_CASE("agents' port: a connection without a handshake is closed",
          "[backend]") {
  GuardedServer server = Serve([](TlsConfig* config) {
    config->agent_handshake_timeout = absl::Milliseconds(200);
  });
  const std::vector<UniqueFd> silent = Flood(server.port(Port::kAgents), 20);
  REQUIRE(silent.size() == 20);
  // gRPC's own bound is 120 s, and so is the tests' timeout.
  CHECK(WaitFor([&] { return StillOpen(silent) == 0; }, absl::Seconds(60)));
}

TEST_CASE("agents' port: a connection without a call is closed", "[backend]") {
  GuardedServer server = Serve([](TlsConfig* config) {
    config->agent_idle_timeout = absl::Milliseconds(200);
  });
  const auto channel = server.Connect(Port::kAgents, "");
  REQUIRE(IsLetIn(channel, kRegister));
  CHECK(WaitFor([&] {
    return channel->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_IDLE;
  }));
  CHECK(IsLetIn(channel, kRegister));  // and comes back by itself
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("agents' port: returns memory to the system after a flood",
          "[backend]") {
  REQUIRE(enough_descriptors);
  GuardedServer server = Serve([](TlsConfig* config) {
    config->max_agent_connections_per_address = kFlood;
  });
  REQUIRE(IsLetIn(server.Connect(Port::kAgents, ""), kRegister));
  HeapTrim heap;
  heap.Check();
  const size_t before = ResidentBytes();
  std::vector<UniqueFd> flood = Flood(server.port(Port::kAgents), kFlood - 100);
  REQUIRE(
      WaitFor([&] { return server.agent_connections().open >= kFlood - 100; }));
  heap.Check();
  const size_t during = ResidentBytes();
  CHECK(during > before + (20 << 20));
  flood.clear();
  // The program looks every few seconds: not while connections are being
  // closed, or each trim returns a part, and a last part below kWorthwhileBytes
  // stays.
  REQUIRE(WaitFor([&] { return server.agent_connections().open <= 1; }));
  CHECK(WaitFor([&] {
    heap.Check();
    return ResidentBytes() < before + (during - before) / 3;
  }));
  WARN("resident MiB before " << (before >> 20) << ", during " << (during >> 20)
                              << ", after " << (ResidentBytes() >> 20));
}
#endif

}  // namespace
}  // namespace carme::backend
