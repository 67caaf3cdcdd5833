// srun inside a job's environment: asks the agent outside to run the node's own
// srun with the standard streams of this process. See ../README.md.
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "carme/node/v1/step.pb.h"
#include "common/config/program.h"
#include "common/status.h"
#include "slurm-hooks/process/packet_socket.h"
#include "slurm-hooks/process/signal_source.h"
#include "slurm-hooks/srun/messages.h"
#include "slurm-hooks/srun/srun_options.h"

namespace carme::node {
namespace {

constexpr std::initializer_list<int> kPassedOn = {SIGINT, SIGTERM, SIGHUP,
                                                  SIGUSR1, SIGUSR2};

absl::StatusOr<std::string> SocketPath() {
  const char* const file = std::getenv("CARME_ENV");
  if (file == nullptr) {
    return MakePlainError(srun_messages::kNotInAJob);
  }
  const std::string path = file;
  return absl::StrCat(path.substr(0, path.rfind('/')), "/step.sock");
}

v1::StepRequest RequestOf(int argc, char** argv) {
  v1::StepRequest request;
  v1::RunStep& run = *request.mutable_run();
  for (int i = 1; i < argc; ++i) run.add_arguments(argv[i]);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    run.mutable_context()->add_environment(*entry);
  }
  char* const cwd = getcwd(nullptr, 0);
  run.mutable_context()->set_directory(cwd == nullptr ? "/" : cwd);
  std::free(cwd);
  return request;
}

absl::Status PassOnSignal(int signals, int connection) {
  signalfd_siginfo info{};
  if (read(signals, &info, sizeof info) != sizeof info) {
    return absl::OkStatus();
  }
  v1::StepRequest request;
  request.set_signal(static_cast<int>(info.ssi_signo));
  return SendPacket(connection, request.SerializeAsString(), {});
}

absl::StatusOr<int> Run(int argc, char** argv) {
  ASSIGN_OR_RETURN(const std::string path, SocketPath());
  ASSIGN_OR_RETURN(const UniqueFd connection, ConnectForPackets(path));
  sigset_t passed_on;
  sigemptyset(&passed_on);
  for (const int number : kPassedOn) sigaddset(&passed_on, number);
  const UniqueFd signals(signalfd(-1, &passed_on, SFD_CLOEXEC));
  if (!signals.valid()) return ErrnoError(errno, "signalfd");
  RETURN_IF_ERROR(SendPacket(connection.get(),
                             RequestOf(argc, argv).SerializeAsString(),
                             {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}));
  pollfd watched[] = {{connection.get(), POLLIN, 0},
                      {signals.get(), POLLIN, 0}};
  while (true) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) {
      return ErrnoError(errno, "poll");
    }
    if ((watched[1].revents & POLLIN) != 0) {
      RETURN_IF_ERROR(PassOnSignal(signals.get(), connection.get()));
    }
    if (watched[0].revents == 0) continue;
    ASSIGN_OR_RETURN(const auto packet, ReceivePacket(connection.get()));
    v1::StepResponse response;
    if (!packet.has_value() || !response.ParseFromString(packet->bytes)) {
      return MakePlainError(srun_messages::kAgentGone);
    }
    if (response.has_exit_code()) return response.exit_code();
    return absl::InvalidArgumentError(response.error());
  }
}

}  // namespace
}  // namespace carme::node

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h" || first == "--usage") {
    std::fputs(carme::node::SrunHelp().c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  carme::node::BlockSignals(carme::node::kPassedOn);
  const auto exit_code = carme::node::Run(argc, argv);
  return exit_code.ok() ? *exit_code : carme::FailStart(exit_code.status());
}
