#include "slurm-hooks/hooks/program_run.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/hooks/messages.h"

namespace carme::hooks {
namespace {

// A SIGCHLD pending from before wakes the wait too early, and one signal can
// stand for several children.
constexpr absl::Duration kMaxNap = absl::Milliseconds(100);

void Nap(absl::Duration max) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const timespec timeout = absl::ToTimespec(max);
  sigtimedwait(&child, nullptr, &timeout);
}

std::string Quoted(const std::vector<std::string>& arguments) {
  return absl::StrCat("\"", arguments[0], "\"");
}

}  // namespace

absl::Status RunProgram(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment,
                        absl::Time deadline) {
  const UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing.valid()) return ErrnoError(errno, "open \"/dev/null\"");
  ASSIGN_OR_RETURN(node::ChildProcess child,
                   node::ChildProcess::Start({.arguments = arguments,
                                              .environment = environment,
                                              .directory = "/",
                                              .umask = 022,
                                              .input = nothing.get(),
                                              .output = STDERR_FILENO}));
  while (true) {
    const std::optional<node::ProcessEnd> end = child.TakeEnd();
    if (end.has_value()) {
      if (end->exit_code == 0) return absl::OkStatus();
      return absl::InternalError(absl::StrCat(
          Quoted(arguments), " ended with exit code ", end->exit_code));
    }
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) break;
    Nap(std::min(left, kMaxNap));
  }
  child.Signal(SIGKILL);
  while (!child.TakeEnd().has_value()) Nap(kMaxNap);
  return MakePlainError(hook_messages::kProgramLate,
                        {{"program", Quoted(arguments)}});
}

}  // namespace carme::hooks
