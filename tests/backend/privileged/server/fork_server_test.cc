#include "backend/privileged/server/fork_server.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/protocol/frame_io.h"
#include "backend/privileged/server/request_process.h"
#include "common/config/program.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme {
namespace {

using testing::WaitFor;
using ForkTime = ForkServer::ForkTime;

// A server in a process of its own. Each of its processes sends a frame and
// ends when the client closes the connection.
class ServerProcess {
 public:
  ServerProcess(ForkTime fork_time, int max_processes,
                uid_t peer_uid = getuid()) {
    const sockaddr_un address = Address();
    UniqueFd listener(
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    REQUIRE(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address),
                 sizeof address) == 0);
    REQUIRE(listen(listener.get(), 8) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ != 0) return;
    BlockStopSignals();
    ForkServer server({.fork_time = fork_time,
                       .max_processes = max_processes,
                       .drain_timeout = testing::kWaitTimeout,
                       .run_process =
                           [peer_uid](const ForkedProcess& process) {
                             Serve(process, peer_uid);
                           }},
                      std::move(listener));
    _exit(server.Run().ok() ? 0 : 1);
  }
  ~ServerProcess() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  UniqueFd Connect() const {
    const sockaddr_un address = Address();
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
                    sizeof address) == 0);
    return fd;
  }
  // The processes that it has forked.
  long Processes() const {
    const std::string path =
        absl::StrCat("/proc/", pid_, "/task/", pid_, "/children");
    const std::string children = ReadFile(path).value_or("");
    return std::count(children.begin(), children.end(), ' ');
  }
  void Signal(int number) const { kill(pid_, number); }
  int Wait() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  [[noreturn]] static void Serve(const ForkedProcess& process, uid_t peer_uid) {
    DieWithParent(process.server);
    const AcceptedConnection connection =
        AcceptConnection(process, {.peer_uid = peer_uid, .refusal = "refused"});
    WriteFrame(connection.fd.get(), "served").IgnoreError();
    ReadFrame(connection.fd.get(), absl::Now() + testing::kWaitTimeout)
        .status()
        .IgnoreError();
    _exit(0);
  }
  sockaddr_un Address() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, dir_.File("socket").c_str(),
                 sizeof address.sun_path - 1);
    return address;
  }

  TempDir dir_;
  pid_t pid_ = -1;
};

std::string ResponseOn(const UniqueFd& fd,
                       absl::Duration timeout = testing::kWaitTimeout) {
  return ReadFrame(fd.get(), absl::Now() + timeout).value_or("");
}

TEST_CASE("fork server: refuses other users", "[backend]") {
  const ServerProcess server(ForkTime::kInAdvance, 2, getuid() + 1);
  CHECK(ResponseOn(server.Connect()) == "refused");
}

TEST_CASE("fork server: has no more processes than configured", "[backend]") {
  const ServerProcess server(ForkTime::kOnConnection, 1);
  UniqueFd first = server.Connect();
  const UniqueFd second = server.Connect();
  CHECK(ResponseOn(first) == "served");
  CHECK(ResponseOn(second, absl::Milliseconds(200)).empty());
  CHECK(server.Processes() == 1);
  first.reset();
  CHECK(ResponseOn(second) == "served");
}

TEST_CASE("fork server: forks in advance or when a connection waits",
          "[backend]") {
  const ServerProcess advance(ForkTime::kInAdvance, 4);
  const ServerProcess demand(ForkTime::kOnConnection, 4);
  CHECK(WaitFor([&] { return advance.Processes() == 1; }));
  CHECK(demand.Processes() == 0);
  {
    const UniqueFd to_advance = advance.Connect();
    const UniqueFd to_demand = demand.Connect();
    CHECK(ResponseOn(to_advance) == "served");
    CHECK(ResponseOn(to_demand) == "served");
    CHECK(WaitFor([&] { return advance.Processes() == 2; }));
    CHECK(demand.Processes() == 1);
  }
  CHECK(WaitFor([&] { return advance.Processes() == 1; }));
  CHECK(WaitFor([&] { return demand.Processes() == 0; }));
}

TEST_CASE("fork server: waits for running requests when it stops",
          "[backend]") {
  ServerProcess server(ForkTime::kOnConnection, 2);
  UniqueFd running = server.Connect();
  CHECK(ResponseOn(running) == "served");
  server.Signal(SIGTERM);
  absl::SleepFor(absl::Milliseconds(100));
  CHECK(server.Processes() == 1);
  running.reset();
  CHECK(server.Wait() == 0);
}

}  // namespace
}  // namespace carme
