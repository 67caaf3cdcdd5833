#include "tests/backend/privileged/root_program_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/file.h"
#include "tests/support/signals.h"

namespace carme::testing {
namespace {

// In a child: a listening socket as descriptor 3 (sd_listen_fds(3)).
void HandOver(const std::string& path) {
  mkdir(path.substr(0, path.rfind('/')).c_str(), 0755);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0666) != 0 || listen(fd, 8) != 0) {
    _exit(126);
  }
  if (fd != 3) dup2(fd, 3);
  setenv("LISTEN_FDS", "1", 1);
  setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
}

// setegid(2) and seteuid(2) of glibc change all threads, system calls only one.
bool SetThreadIds(uid_t id) {
  const auto set_group = [&] {
    return syscall(SYS_setresgid, -1, id, -1) == 0;
  };
  const auto set_user = [&] { return syscall(SYS_setresuid, -1, id, -1) == 0; };
  return id == 0 ? set_user() && set_group() : set_group() && set_user();
}

}  // namespace

AsUser::AsUser(uid_t uid) {
  REQUIRE(setegid(uid) == 0);
  REQUIRE(seteuid(uid) == 0);
}

AsUser::~AsUser() {
  if (seteuid(0) != 0 || setegid(0) != 0) std::abort();
}

ThreadAsUser::ThreadAsUser(uid_t uid) { REQUIRE(SetThreadIds(uid)); }

ThreadAsUser::~ThreadAsUser() {
  if (!SetThreadIds(0)) std::abort();
}

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  pclose(pipe);
  return output;
}

RootProgramProcess::RootProgramProcess(std::string program, Ways ways)
    : program_(std::move(program)), ways_(std::move(ways)) {
  REQUIRE(chmod(dir_.path().c_str(), 0755) == 0);
}

RootProgramProcess::~RootProgramProcess() { Stop(SIGKILL); }

void RootProgramProcess::Start(const std::string& settings,
                               const std::vector<std::string>& defaults) {
  std::string text = settings;
  for (const std::string& line : defaults) {
    const std::string key = line.substr(0, line.find('=') + 1);
    if (settings.find(key) == std::string::npos) {
      // In front: what follows a table belongs to it.
      text = absl::StrCat(line, "\n", text);
    }
  }
  REQUIRE(WriteFile(config(), text, 0644).ok());
  StartProgram();
}

void RootProgramProcess::StartProgram() {
  const std::string log = dir_.File("log");
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(fd, STDERR_FILENO);
    if (!ways_.preload.empty()) setenv("LD_PRELOAD", ways_.preload.c_str(), 1);
    if (ways_.hand_over) HandOver(socket());
    execl(program_.c_str(), program_.c_str(), "--config", config().c_str(),
          nullptr);
    _exit(127);
  }
  const bool serves = WaitFor([this] {
    return Log().find("info serving") != std::string::npos &&
           access(socket().c_str(), F_OK) == 0;
  });
  INFO(Log());
  REQUIRE(serves);
}

void RootProgramProcess::Stop(int signal) {
  if (pid_ <= 0) return;
  Signal(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void RootProgramProcess::KillAndRestart() {
  Stop(SIGKILL);
  REQUIRE(unlink(dir_.File("log").c_str()) == 0);
  StartProgram();
}

int RootProgramProcess::Terminate() {
  Signal(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string RootProgramProcess::Log() const {
  return ReadFile(dir_.File("log")).value_or("");
}

std::vector<std::string> RootProgramProcess::AuditLines(
    const std::string& request_id) const {
  const std::string key =
      request_id.empty() ? "" : absl::StrCat(" request=", request_id, " ");
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(Log(), '\n')) {
    const std::string text(line);
    if (text.find(" audit ") == std::string::npos) continue;
    if (text.find(key) != std::string::npos) lines.push_back(text);
  }
  return lines;
}

UniqueFd RootProgramProcess::Connect(uid_t uid) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket().c_str(), sizeof address.sun_path - 1);
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const AsUser user(uid);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof address) != 0) {
    fd.reset();
  }
  return fd;
}

absl::StatusOr<std::string> RootProgramProcess::ExchangeBytes(
    const std::string& bytes, absl::Duration timeout) const {
  const UniqueFd fd = Connect();
  REQUIRE(fd.valid());
  REQUIRE(send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
  return ReadFrame(fd.get(), absl::Now() + timeout, kMaxResponseBytes);
}

}  // namespace carme::testing
