#include "proxy/server/hot_restart.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "proxy/server/messages.h"

namespace carme::proxy {
namespace {

constexpr int kFirstListenFd = 3;  // SD_LISTEN_FDS_START
constexpr int kMaxSockets = 16;
constexpr absl::Duration kReadyTimeout = absl::Seconds(60);
constexpr const char* kStatusFdVariable = "CARME_RESTART_STATUS_FD";
constexpr std::string_view kPidVariable = "LISTEN_PID=";
constexpr size_t kPidDigits = 10;

// Everything the new process needs, allocated before the fork: between fork and
// exec, no memory may be allocated.
struct ExecArguments {
  const char* program = nullptr;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  char* pid_digits = nullptr;  // in the environment
  std::array<int, kMaxSockets + 1> fds{};
  int count = 0;  // of fds; the last one is the status pipe
};

void WritePid(char* digits, pid_t pid) {
  for (size_t i = kPidDigits; i-- > 0; pid /= 10) {
    digits[i] = static_cast<char>('0' + pid % 10);
  }
}

// Only async-signal-safe calls: the parent has threads.
[[noreturn]] void ExecNewProcess(ExecArguments& exec_image) {
  // Move descriptors away from their target numbers.
  for (int i = 0; i < exec_image.count; ++i) {
    exec_image.fds[static_cast<size_t>(i)] =
        fcntl(exec_image.fds[static_cast<size_t>(i)], F_DUPFD, 64);
  }
  for (int i = 0; i < exec_image.count; ++i) {
    if (dup2(exec_image.fds[static_cast<size_t>(i)], kFirstListenFd + i) < 0) {
      _exit(126);
    }
  }
  close_range(static_cast<unsigned>(kFirstListenFd + exec_image.count), ~0U, 0);
  WritePid(exec_image.pid_digits, getpid());
  execve(exec_image.program, exec_image.arguments.data(),
         exec_image.environment.data());
  _exit(127);
}

// Forks twice, so that the new process is not a child of this one.
absl::Status StartDetached(ExecArguments& exec_image) {
  const pid_t child = _Fork();
  if (child < 0) return ErrnoError(errno, "fork");
  if (child == 0) {
    const pid_t detached = _Fork();
    if (detached == 0) ExecNewProcess(exec_image);
    _exit(detached < 0 ? 1 : 0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 ? absl::OkStatus() : absl::InternalError("fork failed");
}

bool IsRestartVariable(std::string_view variable) {
  for (const std::string_view name :
       {std::string_view("LISTEN_FDS="), std::string_view("LISTEN_FDNAMES="),
        kPidVariable}) {
    if (variable.substr(0, name.size()) == name) return true;
  }
  return variable.substr(0, std::strlen(kStatusFdVariable)) ==
         kStatusFdVariable;
}

}  // namespace

ExecImage ExecImage::Now(char** argv) {
  ExecImage exec_image;
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  exec_image.program = size > 0 ? std::string(path, static_cast<size_t>(size))
                                : std::string(argv[0]);
  for (; *argv != nullptr; ++argv) exec_image.arguments.emplace_back(*argv);
  return exec_image;
}

NewProxyProcess::NewProxyProcess(UniqueFd pipe)
    : pipe_(std::move(pipe)), deadline_(absl::Now() + kReadyTimeout) {}

absl::StatusOr<std::unique_ptr<NewProxyProcess>> NewProxyProcess::Start(
    const ExecImage& exec_image,
    const std::vector<std::pair<std::string, int>>& sockets) {
  int ends[2];
  if (sockets.size() > kMaxSockets) {
    return MakePlainError(proxy_server_messages::kTooManySockets);
  }
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  fcntl(read_end.get(), F_SETFL, O_NONBLOCK);

  ExecArguments prepared;
  std::vector<std::string> arguments = exec_image.arguments, variables;
  std::string names;
  for (const auto& [name, fd] : sockets) {
    absl::StrAppend(&names, names.empty() ? "" : ":", name);
    prepared.fds[static_cast<size_t>(prepared.count++)] = fd;
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!IsRestartVariable(*variable)) variables.emplace_back(*variable);
  }
  variables.push_back(absl::StrCat("LISTEN_FDS=", sockets.size()));
  variables.push_back("LISTEN_FDNAMES=" + names);
  variables.push_back(
      absl::StrCat(kStatusFdVariable, "=", kFirstListenFd + prepared.count));
  variables.push_back(std::string(kPidVariable) + std::string(kPidDigits, '0'));
  prepared.fds[static_cast<size_t>(prepared.count++)] = write_end.get();
  prepared.program = exec_image.program.c_str();
  for (std::string& text : arguments) prepared.arguments.push_back(text.data());
  prepared.arguments.push_back(nullptr);
  for (std::string& text : variables)
    prepared.environment.push_back(text.data());
  prepared.pid_digits = prepared.environment.back() + kPidVariable.size();
  prepared.environment.push_back(nullptr);
  RETURN_IF_ERROR(StartDetached(prepared));
  return std::unique_ptr<NewProxyProcess>(
      new NewProxyProcess(std::move(read_end)));
}

// The new process writes its pid at once, and then that it is ready:
// "1234\nready\n".
NewProxyProcess::Status NewProxyProcess::Poll() {
  char bytes[64];
  const ssize_t got = read(pipe_.get(), bytes, sizeof bytes);
  if (got > 0) received_.append(bytes, static_cast<size_t>(got));
  const size_t line = received_.find('\n');
  if (pid_ == 0 && line != std::string::npos &&
      !absl::SimpleAtoi(received_.substr(0, line), &pid_)) {
    return Status::kFailed;
  }
  if (line != std::string::npos && received_.substr(line + 1) == "ready\n") {
    return Status::kReady;
  }
  if (got == 0) return Status::kFailed;
  if (absl::Now() < deadline_) return Status::kNone;
  Kill();
  return Status::kFailed;
}

// The pipe must still be open, so that the pid cannot have been reused.
void NewProxyProcess::Kill() {
  if (pid_ > 1) kill(pid_, SIGKILL);
}

OldProxyProcess OldProxyProcess::Find() {
  OldProxyProcess found;
  int fd = -1;
  const char* text = std::getenv(kStatusFdVariable);
  if (text == nullptr || !absl::SimpleAtoi(text, &fd) || fd < 3 ||
      fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    unsetenv(kStatusFdVariable);
    return found;
  }
  unsetenv(kStatusFdVariable);
  found.pipe_.reset(fd);
  const std::string pid = absl::StrCat(getpid(), "\n");
  [[maybe_unused]] ssize_t written = write(fd, pid.data(), pid.size());
  return found;
}

void OldProxyProcess::NotifyReady() {
  if (!exists()) return;
  constexpr std::string_view kReady = "ready\n";
  [[maybe_unused]] ssize_t written =
      write(pipe_.get(), kReady.data(), kReady.size());
  pipe_.reset();
}

void NotifySupervisor(const std::string& state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  const size_t size = std::strlen(path);
  if (size >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, size);
  if (path[0] == '@') address.sun_path[0] = '\0';
  const UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return;
  sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address),
         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size));
}

}  // namespace carme::proxy
