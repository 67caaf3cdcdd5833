// carme-init: the first process of a job's environment; see ../README.md.
//
//   carme-init --socket PATH
//   carme-init --bridge PATH --port N -- PROGRAM [ARGUMENT…]
//   carme-init --print-environment
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "common/config/program.h"
#include "common/status.h"
#include "slurm-hooks/init/bridge.h"
#include "slurm-hooks/init/init.h"
#include "slurm-hooks/init/messages.h"
#include "slurm-hooks/process/signal_source.h"

namespace carme::node {
namespace {

absl::StatusOr<std::string> OwnPath() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size < 0) return ErrnoError(errno, "read \"/proc/self/exe\"");
  return std::string(path, static_cast<size_t>(size));
}

absl::StatusOr<int> ServeAgent(const std::string& socket) {
  ASSIGN_OR_RETURN(std::string self, OwnPath());
  ASSIGN_OR_RETURN(UniqueFd agent, ConnectForPackets(socket));
  ASSIGN_OR_RETURN(const auto loop, net::EventLoop::Create());
  ASSIGN_OR_RETURN(const auto init,
                   Init::Create(*loop, std::move(agent), std::move(self)));
  ASSIGN_OR_RETURN(
      const auto signals,
      SignalSource::Create(*loop, {SIGTERM, SIGINT, SIGCHLD}, [&](int number) {
        if (number == SIGCHLD) {
          return init->OnChildren();
        }
        loop->Stop();
      }));
  loop->Run();
  return 0;
}

// Each variable behind the other, a zero byte after each.
absl::StatusOr<int> PrintEnvironment() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::fputs(*entry, stdout) < 0 || std::fputc('\0', stdout) < 0) {
      return ErrnoError(errno, "write the environment");
    }
  }
  if (std::fflush(stdout) != 0) return ErrnoError(errno, "write");
  return 0;
}

absl::StatusOr<int> Serve(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--socket") {
    return ServeAgent(arguments[1]);
  }
  if (arguments.size() == 1 && arguments[0] == "--print-environment") {
    return PrintEnvironment();
  }
  uint32_t port = 0;
  if (arguments.size() > 5 && arguments[0] == "--bridge" &&
      arguments[2] == "--port" && absl::SimpleAtoi(arguments[3], &port) &&
      port > 0 && port <= 65535 && arguments[4] == "--") {
    return RunBridge({.socket = arguments[1],
                      .port = static_cast<uint16_t>(port),
                      .command = {arguments.begin() + 5, arguments.end()}});
  }
  return MakePlainError(init_messages::kUsage);
}

}  // namespace
}  // namespace carme::node

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  carme::node::BlockSignals({SIGTERM, SIGINT, SIGCHLD});
  const auto exit_code = carme::node::Serve({argv + 1, argv + argc});
  return exit_code.ok() ? *exit_code : carme::FailStart(exit_code.status());
}
