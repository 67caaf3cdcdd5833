#include "slurm-hooks/shell/shell_process.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::shell {
namespace {

winsize ToKernel(WindowSize size) {
  winsize kernel{};
  kernel.ws_row = size.rows;
  kernel.ws_col = size.columns;
  return kernel;
}

// bash's own default is "-bash-5.2$ ". /etc/profile and the user's may set
// another.
constexpr char kBashPrompt[] = "\\u@\\h:\\w\\$ ";

[[noreturn]] void BecomeShell(const std::string& shell) {
  // Resets the signal handlers of this program for the shell.
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  const char* home = getenv("HOME");
  if (home == nullptr || chdir(home) != 0) {
    if (chdir("/") != 0) _exit(126);
  }
  setenv("SHELL", shell.c_str(), 1);
  setenv("TERM", "xterm-256color", 1);
  setenv("COLORTERM", "truecolor", 1);
  const std::string base = shell.substr(shell.rfind('/') + 1);
  if (base == "bash") setenv("PS1", kBashPrompt, 0);
  // The dash before its name makes it a login shell (bash(1), INVOCATION).
  const std::string name = absl::StrCat("-", base);
  execl(shell.c_str(), name.c_str(), nullptr);
  _exit(127);
}

}  // namespace

std::string ChooseShell() {
  const char* own = getenv("SHELL");
  if (own != nullptr && own[0] == '/' && access(own, X_OK) == 0) return own;
  return access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
}

absl::StatusOr<ShellProcess> StartShell() {
  const std::string shell = ChooseShell();
  const winsize size = ToKernel(WindowSize{});
  int master = -1;
  const pid_t pid = forkpty(&master, nullptr, nullptr, &size);
  if (pid < 0) return ErrnoError(errno, "open a pseudo terminal");
  if (pid == 0) BecomeShell(shell);
  ShellProcess started{.pid = pid, .master = UniqueFd(master)};
  fcntl(master, F_SETFD, FD_CLOEXEC);
  fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK);
  return started;
}

void SetWindowSize(int master, WindowSize size) {
  const winsize kernel = ToKernel(size);
  ioctl(master, TIOCSWINSZ, &kernel);
}

}  // namespace carme::shell
