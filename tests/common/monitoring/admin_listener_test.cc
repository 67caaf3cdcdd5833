#include "common/monitoring/admin_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/monitoring/monitored_program.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

class FakeMonitoredProgram : public MonitoredProgram {
 public:
  std::string Metrics() const override { return "carme_test_up 1\n"; }
  absl::Status Alive() const override { return alive; }
  absl::Status Ready() const override { return ready; }
  absl::Status alive, ready;
};

UniqueFd ConnectTo(int port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                  sizeof address) == 0);
  const timeval timeout{.tv_sec = 60, .tv_usec = 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  return fd;
}

std::string ReadToEnd(const UniqueFd& fd) {
  std::string all;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got <= 0) return all;
    all.append(buffer, static_cast<size_t>(got));
  }
}

std::string Ask(int port, const std::string& bytes) {
  const UniqueFd fd = ConnectTo(port);
  REQUIRE(send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
  return ReadToEnd(fd);
}

std::string Get(int port, const std::string& target,
                const std::string& method = "GET") {
  return Ask(port, method + " " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
}

bool StartsWith(const std::string& response, const char* status) {
  return response.starts_with(std::string("HTTP/1.1 ") + status);
}

TEST_CASE("admin listener: refuses an address that is not one",
          "[monitoring]") {
  const FakeMonitoredProgram program;
  CHECK_THAT(AdminListener::Start("example.org:1", &program),
             StatusIs(absl::StatusCode::kInvalidArgument));
  CHECK(AdminListener::StartIfSet("example.org:1", &program) == nullptr);
  CHECK(AdminListener::StartIfSet("", &program) == nullptr);
}

TEST_CASE("admin listener: refuses other paths and methods, and garbage",
          "[monitoring]") {
  const FakeMonitoredProgram program;
  const auto admin = AdminListener::Start("127.0.0.1:0", &program);
  REQUIRE_THAT(admin, IsOk());
  const int port = (*admin)->port();
  CHECK(StartsWith(Get(port, "/"), "404 "));
  CHECK(StartsWith(Get(port, "/metrics/../readyz"), "404 "));
  CHECK(StartsWith(Get(port, "/metrics", "POST"), "405 "));
  CHECK(StartsWith(Ask(port, "garbage\r\n\r\n"), "400 "));
  CHECK(StartsWith(Ask(port, "GET /metrics HTTP/1.1\r\nHost: x\r\nA: " +
                                 std::string(9000, 'a') + "\r\n\r\n"),
                   "431 "));
}

TEST_CASE("admin listener: serves metrics and both probes", "[monitoring]") {
  FakeMonitoredProgram program;
  const auto admin = AdminListener::Start("127.0.0.1:0", &program);
  REQUIRE_THAT(admin, IsOk());
  const int port = (*admin)->port();
  CHECK(Get(port, "/metrics").ends_with("\r\n\r\ncarme_test_up 1\n"));
  const std::string head = Get(port, "/metrics", "HEAD");
  CHECK(head.ends_with("Content-Length: 16\r\n\r\n"));
  CHECK(StartsWith(Get(port, "/healthz"), "200 "));
  CHECK(StartsWith(Get(port, "/readyz?verbose"), "200 "));
}

TEST_CASE("admin listener: answers 503 with the reason", "[monitoring]") {
  FakeMonitoredProgram program;
  program.ready = absl::UnavailableError("database: writes fail");
  program.alive = absl::InternalError("stuck");
  const auto admin = AdminListener::Start("127.0.0.1:0", &program);
  REQUIRE_THAT(admin, IsOk());
  const std::string ready = Get((*admin)->port(), "/readyz");
  CHECK(StartsWith(ready, "503 "));
  CHECK(ready.ends_with("\r\n\r\ndatabase: writes fail\n"));
  CHECK(Get((*admin)->port(), "/healthz").ends_with("\r\n\r\nstuck\n"));
}

TEST_CASE("admin listener: answers again after clients that send nothing",
          "[monitoring]") {
  const FakeMonitoredProgram program;
  const auto admin = AdminListener::Start("127.0.0.1:0", &program);
  REQUIRE_THAT(admin, IsOk());
  const int port = (*admin)->port();
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 16; ++i) silent.push_back(ConnectTo(port));
  // Closed at once: the limit is reached.
  CHECK(ReadToEnd(ConnectTo(port)).empty());
  silent.clear();
  CHECK(WaitFor([&] { return StartsWith(Get(port, "/healthz"), "200 "); }));
}

}  // namespace
}  // namespace carme::testing
