#include "slurm-hooks/child_process/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::node {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// execvpe(3) may allocate, which is forbidden after a fork of a threaded
// process.
std::string FindProgram(const Launch& launch) {
  const std::string& name = launch.arguments[0];
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& entry : launch.environment) {
    if (!entry.starts_with("PATH=")) continue;
    for (const absl::string_view directory :
         absl::StrSplit(entry.substr(5), ':', absl::SkipEmpty())) {
      std::string path = absl::StrCat(directory, "/", name);
      if (access(path.c_str(), X_OK) == 0) return path;
    }
  }
  return name;
}

void TakeStandardStreams(const Launch& launch) {
  const int streams[] = {launch.input, launch.output, launch.error};
  for (int target = 0; target < 3; ++target) {
    if (streams[target] >= 0) dup2(streams[target], target);
  }
}

[[noreturn]] void ReportAndExit(int report, int error) {
  [[maybe_unused]] const ssize_t put = write(report, &error, sizeof error);
  _exit(127);
}

// Between fork and exec in a threaded process: only what signal-safety(7)
// lists.
[[noreturn]] void Become(const char* program, char* const* arguments,
                         char* const* environment, const Launch& launch,
                         pid_t parent, int report) {
  signal(SIGPIPE, SIG_DFL);  // ignored signals would be inherited
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  TakeStandardStreams(launch);
  umask(launch.umask);
  if (chdir(launch.directory.c_str()) != 0) {
    if (launch.must_enter) ReportAndExit(report, -errno);
    if (chdir("/") != 0) _exit(127);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent died before prctl
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  execve(program, arguments, environment);
  ReportAndExit(report, errno);
}

// The pipe closes on a successful exec.
int ErrorOfExec(int report) {
  int error = 0;
  ssize_t got = -1;
  do {
    got = read(report, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(const Launch& launch) {
  if (launch.arguments.empty() || launch.arguments[0].empty()) {
    return absl::InvalidArgumentError("no program is named");
  }
  const std::string what = absl::StrCat("start \"", launch.arguments[0], "\"");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, what);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const std::string program = FindProgram(launch);
  const std::vector<char*> arguments = Pointers(launch.arguments);
  const std::vector<char*> environment = Pointers(launch.environment);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return ErrnoError(errno, what);
  if (pid == 0) {
    Become(program.c_str(), arguments.data(), environment.data(), launch,
           parent, writer.get());
  }
  writer.reset();
  const int error = ErrorOfExec(reader.get());
  if (error != 0) {
    waitpid(pid, nullptr, 0);
    if (error < 0) {
      return ErrnoError(-error,
                        absl::StrCat("enter \"", launch.directory, "\""));
    }
    return ErrnoError(error, what);
  }
  return ChildProcess(pid);
}

ProcessEnd EndOf(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return {128 + WTERMSIG(wait_status), WTERMSIG(wait_status)};
  }
  return {WEXITSTATUS(wait_status), 0};
}

void ChildProcess::Signal(int number) const { kill(-pid_, number); }

std::optional<ProcessEnd> ChildProcess::TakeEnd() {
  int state = 0;
  if (end_.has_value() || waitpid(pid_, &state, WNOHANG) != pid_) return end_;
  end_ = EndOf(state);
  return end_;
}

}  // namespace carme::node
