#include "slurm-hooks/init/bridge.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/net/event_loop.h"
#include "common/net/relay.h"
#include "common/net/socket.h"
#include "common/net/stream.h"
#include "common/status.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/init/private_network.h"
#include "slurm-hooks/process/signal_source.h"

namespace carme::node {
namespace {

constexpr absl::Duration kConnectTimeout = absl::Seconds(5);
constexpr int kQueue = 128;

absl::StatusOr<UniqueFd> ListenOn(const std::string& path) {
  ASSIGN_OR_RETURN(const net::Address address, net::Address::FromPath(path));
  const std::string what = absl::StrCat("listen on \"", path, "\"");
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return ErrnoError(errno, what);
  unlink(path.c_str());  // of the previous run
  if (fchmod(fd.get(), 0600) != 0 ||
      bind(fd.get(), address.get(), address.size()) != 0 ||
      listen(fd.get(), kQueue) != 0) {
    return ErrnoError(errno, what);
  }
  return fd;
}

net::Task<void> Serve(net::EventLoop& loop, UniqueFd fd, uint16_t port) {
  auto outside = net::NewSocketStream(loop, std::move(fd));
  const auto address = net::Address::FromIp("127.0.0.1", port);
  if (!outside.ok() || !address.ok()) co_return;
  // Connections are closed until the program listens: the readiness probe sees
  // that and retries.
  auto connected = co_await net::Connect(loop, *address, kConnectTimeout);
  if (!connected.ok()) co_return;
  auto inside = net::NewSocketStream(loop, *std::move(connected));
  if (!inside.ok()) co_return;
  co_await net::Relay(**outside, **inside, {});
}

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  return environment;
}

}  // namespace

absl::StatusOr<int> RunBridge(const BridgePlan& plan) {
  RETURN_IF_ERROR(EnterPrivateNetwork());
  ASSIGN_OR_RETURN(const UniqueFd socket, ListenOn(plan.socket));
  ASSIGN_OR_RETURN(const auto loop, net::EventLoop::Create());
  const mode_t mask = umask(0);
  umask(mask);
  std::optional<ChildProcess> program;
  std::optional<ProcessEnd> end;
  ASSIGN_OR_RETURN(
      const auto signals,
      SignalSource::Create(*loop, {SIGTERM, SIGINT, SIGCHLD}, [&](int number) {
        if (number != SIGCHLD) return program->Signal(number);
        end = program->TakeEnd();
        if (end.has_value()) loop->Stop();
      }));
  ASSIGN_OR_RETURN(program,
                   ChildProcess::Start({.arguments = plan.command,
                                        .environment = OwnEnvironment(),
                                        .directory = ".",
                                        .umask = mask}));
  ASSIGN_OR_RETURN(
      const auto listener,
      net::Listener::Create(
          *loop, socket.get(), [&](UniqueFd fd, const net::Address&) {
            loop->Spawn(Serve(*loop, std::move(fd), plan.port));
          }));
  loop->Run();
  program->Signal(SIGKILL);  // remaining processes of its group
  return end.has_value() ? end->exit_code : 1;
}

}  // namespace carme::node
