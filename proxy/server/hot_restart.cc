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

namespace carme::proxy {
namespace {

constexpr int kFirstListenFd = 3;  // SD_LISTEN_FDS_START
constexpr int kMaxSockets = 16;
constexpr absl::Duration kToGetReady = absl::Seconds(60);
constexpr const char* kWords = "CARME_SUCCESSOR_FD";
constexpr std::string_view kPidVariable = "LISTEN_PID=";
constexpr size_t kPidDigits = 10;

// Everything the new process needs, allocated before the fork: between fork and
// exec, no memory may be allocated.
struct Preparation {
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
[[noreturn]] void Become(Preparation& how) {
  // Move descriptors away from their target numbers.
  for (int i = 0; i < how.count; ++i) {
    how.fds[static_cast<size_t>(i)] =
        fcntl(how.fds[static_cast<size_t>(i)], F_DUPFD, 64);
  }
  for (int i = 0; i < how.count; ++i) {
    if (dup2(how.fds[static_cast<size_t>(i)], kFirstListenFd + i) < 0) {
      _exit(126);
    }
  }
  close_range(static_cast<unsigned>(kFirstListenFd + how.count), ~0U, 0);
  WritePid(how.pid_digits, getpid());
  execve(how.program, how.arguments.data(), how.environment.data());
  _exit(127);
}

// Forks twice, so that the new process is not a child of this one.
absl::Status StartOrphan(Preparation& how) {
  const pid_t child = _Fork();
  if (child < 0) return ErrnoError(errno, "fork");
  if (child == 0) {
    const pid_t orphan = _Fork();
    if (orphan == 0) Become(how);
    _exit(orphan < 0 ? 1 : 0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 ? absl::OkStatus() : absl::InternalError("fork failed");
}

bool IsOurs(std::string_view variable) {
  for (const std::string_view name :
       {std::string_view("LISTEN_FDS="), std::string_view("LISTEN_FDNAMES="),
        kPidVariable}) {
    if (variable.substr(0, name.size()) == name) return true;
  }
  return variable.substr(0, std::strlen(kWords)) == kWords;
}

}  // namespace

ExecImage ExecImage::Now(char** argv) {
  ExecImage how;
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  how.program = size > 0 ? std::string(path, static_cast<size_t>(size))
                         : std::string(argv[0]);
  for (; *argv != nullptr; ++argv) how.arguments.emplace_back(*argv);
  return how;
}

NewProxyProcess::NewProxyProcess(UniqueFd pipe)
    : pipe_(std::move(pipe)), deadline_(absl::Now() + kToGetReady) {}

absl::StatusOr<std::unique_ptr<NewProxyProcess>> NewProxyProcess::Start(
    const ExecImage& how,
    const std::vector<std::pair<std::string, int>>& sockets) {
  int ends[2];
  if (sockets.size() > kMaxSockets) {
    return absl::InvalidArgumentError("too many sockets");
  }
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  UniqueFd hears(ends[0]), speaks(ends[1]);
  fcntl(hears.get(), F_SETFL, O_NONBLOCK);

  Preparation made;
  std::vector<std::string> arguments = how.arguments, variables;
  std::string names;
  for (const auto& [name, fd] : sockets) {
    absl::StrAppend(&names, names.empty() ? "" : ":", name);
    made.fds[static_cast<size_t>(made.count++)] = fd;
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!IsOurs(*variable)) variables.emplace_back(*variable);
  }
  variables.push_back(absl::StrCat("LISTEN_FDS=", sockets.size()));
  variables.push_back("LISTEN_FDNAMES=" + names);
  variables.push_back(absl::StrCat(kWords, "=", kFirstListenFd + made.count));
  variables.push_back(std::string(kPidVariable) + std::string(kPidDigits, '0'));
  made.fds[static_cast<size_t>(made.count++)] = speaks.get();
  made.program = how.program.c_str();
  for (std::string& one : arguments) made.arguments.push_back(one.data());
  made.arguments.push_back(nullptr);
  for (std::string& one : variables) made.environment.push_back(one.data());
  made.pid_digits = made.environment.back() + kPidVariable.size();
  made.environment.push_back(nullptr);
  RETURN_IF_ERROR(StartOrphan(made));
  return std::unique_ptr<NewProxyProcess>(new NewProxyProcess(std::move(hears)));
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
  const char* text = std::getenv(kWords);
  if (text == nullptr || !absl::SimpleAtoi(text, &fd) || fd < 3 ||
      fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    unsetenv(kWords);
    return found;
  }
  unsetenv(kWords);
  found.pipe_.reset(fd);
  const std::string pid = absl::StrCat(getpid(), "\n");
  [[maybe_unused]] ssize_t said = write(fd, pid.data(), pid.size());
  return found;
}

void OldProxyProcess::NotifyReady() {
  if (!exists()) return;
  constexpr std::string_view kReady = "ready\n";
  [[maybe_unused]] ssize_t said =
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
