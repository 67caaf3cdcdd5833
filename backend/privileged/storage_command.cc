#include "backend/privileged/storage_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/child.h"
#include "backend/privileged/slurm_files.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::impersonator {
namespace {

constexpr int kNotStarted = 127;
constexpr unsigned kMostProcessor_s = 60;
// How long what was killed may take to be gone. What hangs in the kernel, of a
// file system that does not answer, is left to it.
constexpr absl::Duration kUntilGone = absl::Seconds(1);

// A running program with all that it starts.
struct Program {
  pid_t pid;
  UniqueFd process;  // pidfd_open(2)
  UniqueFd output;
};

[[noreturn]] void Become(const std::vector<std::string>& command, int output,
                         pid_t parent) {
  DieWith(parent);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const rlimit no_core{0, 0};
  const rlimit processor{kMostProcessor_s, kMostProcessor_s};
  if (setsid() < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      close_range(STDERR_FILENO + 1, ~0U, 0) != 0 ||
      setrlimit(RLIMIT_CORE, &no_core) != 0 ||
      setrlimit(RLIMIT_CPU, &processor) != 0) {
    _exit(kNotStarted);
  }
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char locale[] = "LC_ALL=C";
  char* const environment[] = {path, locale, nullptr};
  execve(words[0], words.data(), environment);
  _exit(kNotStarted);
}

absl::StatusOr<Program> StartProgram(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return ErrnoError(errno, "pipe");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  // A program expects to wait for whoever reads.
  fcntl(theirs.get(), F_SETFL, 0);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return ErrnoError(errno, "fork");
  if (pid == 0) Become(command, theirs.get(), parent);
  UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) return ErrnoError(errno, "pidfd_open");
  return Program{pid, std::move(process), std::move(ours)};
}

// What can be read at once. False: too much.
bool Drain(int fd, std::string* text) {
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) {
    text->append(buffer, static_cast<size_t>(got));
    if (text->size() > kMostCommandOutput) return false;
  }
  return true;
}

// Until it has ended: who only closes its output is waited for as well, and
// who leaves it to another process is not.
absl::Status Listen(const Program& program, int line, absl::Time deadline,
                    std::string* text) {
  bool open = true;
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError("it did not end in time");
    }
    pollfd ready[3] = {{program.process.get(), POLLIN, 0},
                       {open ? program.output.get() : -1, POLLIN, 0},
                       {line, POLLRDHUP, 0}};
    poll(ready, 3, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (!Drain(program.output.get(), text)) {
      return absl::InternalError(
          absl::StrCat("it said more than ", kMostCommandOutput, " bytes"));
    }
    if (ready[0].revents != 0) return absl::OkStatus();
    if (ready[2].revents != 0) return absl::CancelledError("nobody listens");
    open = open && (ready[1].revents & (POLLHUP | POLLERR)) == 0;
  }
}

// Its status as waitpid(2) gives it, with nothing of it left running. The group
// is its own for as long as nobody has waited for its leader.
int End(const Program& program) {
  syscall(SYS_pidfd_send_signal, program.process.get(), SIGKILL, nullptr, 0);
  kill(-program.pid, SIGKILL);
  pollfd gone{program.process.get(), POLLIN, 0};
  poll(&gone, 1, static_cast<int>(absl::ToInt64Milliseconds(kUntilGone)));
  int status = SIGKILL;
  waitpid(program.pid, &status, WNOHANG);
  return status;
}

absl::Status StatusOf(int status) {
  if (WIFSIGNALED(status)) {
    return absl::InternalError(
        absl::StrCat("it was killed by signal ", WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == kNotStarted) {
    return absl::FailedPreconditionError("it could not be started");
  }
  if (WEXITSTATUS(status) != 0) {
    return absl::InternalError(
        absl::StrCat("it ended with code ", WEXITSTATUS(status)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> RunStorageCommand(
    const std::vector<std::string>& command, int line, absl::Time deadline) {
  const absl::Status safe = CheckOnlyRootWrites(command[0]);
  if (!safe.ok()) return absl::FailedPreconditionError(safe.message());
  ASSIGN_OR_RETURN(const Program program, StartProgram(command));
  std::string text;
  const absl::Status heard = Listen(program, line, deadline, &text);
  const int status = End(program);
  RETURN_IF_ERROR(heard);
  RETURN_IF_ERROR(StatusOf(status));
  return text;
}

}  // namespace carme::impersonator
