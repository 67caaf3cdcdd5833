#include "slurm-hooks/gssr/wrapped_command.h"

#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/time/clock.h"
#include "slurm-hooks/gssr/messages.h"

namespace carme::gssr {
namespace {

constexpr int kForwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
                              SIGUSR2, SIGTERM, SIGCONT, SIGALRM};

sigset_t HandledSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int number : kForwarded) sigaddset(&set, number);
  return set;
}

sigset_t original_mask;

}  // namespace

void WrappedCommand::BlockSignals() {
  signal(SIGCHLD, SIG_DFL);  // ignored, the exit code would be lost
  const sigset_t set = HandledSignals();
  pthread_sigmask(SIG_BLOCK, &set, &original_mask);
}

absl::StatusOr<WrappedCommand> WrappedCommand::Start(
    const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  // In the group of this program, a signal to the group would arrive twice; in
  // its own, the command could not read from the terminal.
  const bool own_group = isatty(STDIN_FILENO) == 0;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &original_mask);
  short flags = POSIX_SPAWN_SETSIGMASK;
  if (own_group) flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, flags);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], nullptr, &attributes,
                                 arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    const absl::Status status =
        MakePlainError(gssr_messages::kCannotStart,
                       {{"command", command[0]}, {"error", strerror(error)}});
    if (error == ENOENT) return status;
    return absl::PermissionDeniedError(status.message());
  }
  return WrappedCommand(pid, own_group);
}

std::optional<int> WrappedCommand::ForwardSignals(absl::Time deadline) {
  const sigset_t set = HandledSignals();
  while (true) {
    int state = 0;
    if (waitpid(pid_, &state, WNOHANG) == pid_) {
      return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    }
    const absl::Duration left =
        std::max(deadline - absl::Now(), absl::ZeroDuration());
    const timespec timeout = absl::ToTimespec(left);
    siginfo_t info{};
    const int number = sigtimedwait(&set, &info, &timeout);
    if (number < 0) {
      if (errno == EINTR) continue;
      return std::nullopt;  // the deadline
    }
    if (number == SIGCHLD) continue;
    // The terminal sends its signals to the whole group.
    if (!own_group_ && info.si_code == SI_KERNEL) continue;
    Signal(number);
  }
}

void WrappedCommand::Signal(int number) {
  kill(own_group_ ? -pid_ : pid_, number);
}

}  // namespace carme::gssr
