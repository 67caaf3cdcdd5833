#include "backend/privileged/storage/command.h"

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
#include "backend/privileged/privsep/child.h"
#include "backend/privileged/privsep/root_files.h"
#include "backend/privileged/storage/messages.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::storage_reader {
namespace {

constexpr int kNotStarted = 127;
constexpr unsigned kMaxCpuTime_s = 60;
// How long a killed process may take to end. One that hangs in the kernel, on a
// file system that does not respond, is left behind.
constexpr absl::Duration kKillTimeout = absl::Seconds(1);

// A running program and its process group.
struct Program {
  pid_t pid;
  UniqueFd process;  // pidfd_open(2)
  UniqueFd output;
};

[[noreturn]] void Execute(const std::vector<std::string>& command, int output,
                          pid_t parent) {
  DieWithParent(parent);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const rlimit no_core{0, 0};
  const rlimit processor{kMaxCpuTime_s, kMaxCpuTime_s};
  if (setsid() < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      close_range(STDERR_FILENO + 1, ~0U, 0) != 0 ||
      setrlimit(RLIMIT_CORE, &no_core) != 0 ||
      setrlimit(RLIMIT_CPU, &processor) != 0) {
    _exit(kNotStarted);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char locale[] = "LC_ALL=C";
  char* const environment[] = {path, locale, nullptr};
  execve(arguments[0], arguments.data(), environment);
  _exit(kNotStarted);
}

absl::StatusOr<Program> StartProgram(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return ErrnoError(errno, "pipe");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  // Programs expect a blocking standard output.
  fcntl(theirs.get(), F_SETFL, 0);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return ErrnoError(errno, "fork");
  if (pid == 0) Execute(command, theirs.get(), parent);
  UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) return ErrnoError(errno, "pidfd_open");
  return Program{pid, std::move(process), std::move(ours)};
}

// Reads without blocking. False: too much output.
bool Drain(int fd, std::string* text) {
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) {
    text->append(buffer, static_cast<size_t>(got));
    if (text->size() > kMaxCommandOutput) return false;
  }
  return true;
}

// Reads until the program ends. It may close its output before, or leave it
// open to another process.
absl::Status ReadOutput(const Program& program, int parent_fd,
                        absl::Time deadline, std::string* text) {
  bool open = true;
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      return MakePlainError(storage_reader_messages::kProgramLate);
    }
    pollfd ready[3] = {{program.process.get(), POLLIN, 0},
                       {open ? program.output.get() : -1, POLLIN, 0},
                       {parent_fd, POLLRDHUP, 0}};
    poll(ready, 3, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (!Drain(program.output.get(), text)) {
      return absl::InternalError(absl::StrCat("the program wrote more than ",
                                              kMaxCommandOutput, " bytes"));
    }
    if (ready[0].revents != 0) return absl::OkStatus();
    if (ready[2].revents != 0)
      return absl::CancelledError("the request was cancelled");
    open = open && (ready[1].revents & (POLLHUP | POLLERR)) == 0;
  }
}

// Kills the process group and returns the status of waitpid(2). The group id
// cannot be reused until its leader has been waited for.
int End(const Program& program) {
  syscall(SYS_pidfd_send_signal, program.process.get(), SIGKILL, nullptr, 0);
  kill(-program.pid, SIGKILL);
  pollfd gone{program.process.get(), POLLIN, 0};
  poll(&gone, 1, static_cast<int>(absl::ToInt64Milliseconds(kKillTimeout)));
  int status = SIGKILL;
  waitpid(program.pid, &status, WNOHANG);
  return status;
}

absl::Status StatusOf(int status) {
  if (WIFSIGNALED(status)) {
    return absl::InternalError(
        absl::StrCat("the program was killed by signal ", WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == kNotStarted) {
    return MakePlainError(storage_reader_messages::kProgramNotStarted);
  }
  if (WEXITSTATUS(status) != 0) {
    return absl::InternalError(
        absl::StrCat("the program ended with code ", WEXITSTATUS(status)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> RunStorageCommand(
    const std::vector<std::string>& command, int parent_fd,
    absl::Time deadline) {
  const absl::Status safe = CheckOnlyRootWrites(command[0]);
  if (!safe.ok()) return absl::FailedPreconditionError(safe.message());
  ASSIGN_OR_RETURN(const Program program, StartProgram(command));
  std::string text;
  const absl::Status read = ReadOutput(program, parent_fd, deadline, &text);
  const int status = End(program);
  RETURN_IF_ERROR(read);
  RETURN_IF_ERROR(StatusOf(status));
  return text;
}

}  // namespace carme::storage_reader
