#include "backend/carmectl/doctor/host/tool_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backend/carmectl/doctor/host/messages.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxToolOutput = 8 << 20;

// Files in memory instead of pipes: the tool never waits for its reader.
UniqueFd NewMemoryFile(std::string_view content) {
  UniqueFd fd(memfd_create("carmectl-tool", MFD_CLOEXEC));
  while (fd.valid() && !content.empty()) {
    const ssize_t written = write(fd.get(), content.data(), content.size());
    if (written <= 0) return UniqueFd();
    content.remove_prefix(written);
  }
  if (fd.valid()) lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

std::string ReadMemoryFile(int fd) {
  std::string text;
  char buffer[16384];
  ssize_t got = 0;
  off_t offset = 0;
  while (text.size() < kMaxToolOutput &&
         (got = pread(fd, buffer, sizeof(buffer), offset)) > 0) {
    text.append(buffer, got);
    offset += got;
  }
  return text;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

struct ToolFiles {
  int input, output, error;
};

int SpawnTool(const std::string& path, const ToolFiles& files,
              const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, files.input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, files.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, files.error, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t defaults;  // carmectl ignores it
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error =
      posix_spawn(pid, path.c_str(), &actions, &attributes,
                  Pointers(arguments).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// False: killed at the end of the time.
bool AwaitTool(pid_t pid, absl::Duration timeout, int* wait_status) {
  const absl::Time deadline = absl::Now() + timeout;
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  bool in_time = false;
  for (;;) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration() || !process.valid()) break;
    pollfd poller{.fd = process.get(), .events = POLLIN, .revents = 0};
    const int ready =
        poll(&poller, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (ready > 0) {
      in_time = true;
      break;
    }
    if (ready < 0 && errno != EINTR) break;
  }
  if (!in_time) kill(-pid, SIGKILL);
  while (waitpid(pid, wait_status, 0) < 0 && errno == EINTR) {
  }
  return in_time;
}

}  // namespace

std::string ToolRunner::Find(const std::string& tool) const {
  for (const std::string& directory : directories_) {
    std::string path = absl::StrCat(directory, "/", tool);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

absl::StatusOr<ToolResult> ToolRunner::Run(const ToolCall& call,
                                           absl::Duration timeout) const {
  const std::string& tool = call.arguments.front();
  const std::string path = tool[0] == '/' ? tool : Find(tool);
  if (path.empty()) {
    return MakePlainError(doctor_host_messages::kToolMissing, {{"tool", tool}});
  }
  const UniqueFd input = NewMemoryFile(call.input);
  const UniqueFd output = NewMemoryFile("");
  const UniqueFd error = NewMemoryFile("");
  if (!input.valid() || !output.valid() || !error.valid()) {
    return ErrnoError(errno, "create a file in memory");
  }
  std::vector<std::string> environment = {
      absl::StrCat("PATH=", absl::StrJoin(directories_, ":")), "LC_ALL=C",
      "TZ=UTC"};
  environment.insert(environment.end(), call.environment.begin(),
                     call.environment.end());
  pid_t pid = -1;
  const int failed = SpawnTool(path, {input.get(), output.get(), error.get()},
                               call.arguments, environment, &pid);
  if (failed != 0)
    return ErrnoError(failed, absl::StrCat("run \"", path, "\""));
  int wait_status = 0;
  if (!AwaitTool(pid, timeout, &wait_status)) {
    return MakePlainError(
        doctor_host_messages::kToolLate,
        {{"tool", tool}, {"timeout", absl::FormatDuration(timeout)}});
  }
  ToolResult result;
  result.exit_code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                            : 128 + WTERMSIG(wait_status);
  result.output = ReadMemoryFile(output.get());
  result.error = ReadMemoryFile(error.get());
  while (!result.error.empty() && result.error.back() == '\n') {
    result.error.pop_back();
  }
  return result;
}

}  // namespace carme::carmectl
