#include "tests/backend/privileged/impersonator_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/file.h"
#include "common/ids.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

constexpr char kAgent[] =
    "#!/bin/sh\n"
    "id -un\n"
    "env\n"
    "exec sleep 300\n";

std::string ConfigText(const std::string& settings, const TempDir& dir) {
  std::string text = settings;
  for (const std::string& line :
       {absl::StrCat("socket = \"", dir.File("run/socket"), "\""),
        std::string("peer_user = \"carme\""),
        absl::StrCat("agent = \"", dir.File("agent"), "\""),
        std::string("allowed_group = \"carme-users\"")}) {
    const std::string key = line.substr(0, line.find('=') + 1);
    if (settings.find(key) == std::string::npos) {
      // In front: what follows a table belongs to it.
      text = absl::StrCat(line, "\n", text);
    }
  }
  return text;
}

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

}  // namespace

AsUser::AsUser(uid_t uid) {
  REQUIRE(setegid(uid) == 0);
  REQUIRE(seteuid(uid) == 0);
}

AsUser::~AsUser() {
  if (seteuid(0) != 0 || setegid(0) != 0) std::abort();
}

ImpersonatorProcess::ImpersonatorProcess(const std::string& settings, Ways ways)
    : ways_(std::move(ways)) {
  REQUIRE(chmod(dir_.path().c_str(), 0755) == 0);
  REQUIRE_THAT(WriteFile(dir_.File("agent"), kAgent, 0755), IsOk());
  REQUIRE_THAT(WriteFile(dir_.File("config"), ConfigText(settings, dir_), 0644),
               IsOk());
  Start();
}

ImpersonatorProcess::~ImpersonatorProcess() { Stop(SIGKILL); }

void ImpersonatorProcess::Start() {
  const std::string config = dir_.File("config");
  const std::string log = dir_.File("log");
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(fd, STDERR_FILENO);
    if (!ways_.preload.empty()) setenv("LD_PRELOAD", ways_.preload.c_str(), 1);
    if (ways_.hand_over) HandOver(socket());
    execl(CARME_IMPERSONATOR, CARME_IMPERSONATOR, "--config", config.c_str(),
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

void ImpersonatorProcess::Stop(int signal) {
  if (pid_ <= 0) return;
  testing::Signal(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void ImpersonatorProcess::KillAndRestart() {
  Stop(SIGKILL);
  REQUIRE(unlink(dir_.File("log").c_str()) == 0);
  Start();
}

int ImpersonatorProcess::Terminate() {
  testing::Signal(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string ImpersonatorProcess::Log() const {
  return ReadFile(dir_.File("log")).value_or("");
}

std::vector<std::string> ImpersonatorProcess::AuditLines(
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

UniqueFd ImpersonatorProcess::Connect(uid_t uid,
                                      const std::string& suffix) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (socket() + suffix).c_str(),
               sizeof address.sun_path - 1);
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const AsUser user(uid);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof address) != 0) {
    fd.reset();
  }
  return fd;
}

privileged::v1::Response ImpersonatorProcess::Exchange(
    const std::string& bytes, absl::Duration timeout,
    const std::string& suffix) const {
  privileged::v1::Response response;
  const UniqueFd fd = Connect(kBackendUid, suffix);
  REQUIRE(fd.valid());
  REQUIRE(send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
  const auto answer =
      ReadFrame(fd.get(), absl::Now() + timeout, kMaxResponseBytes);
  if (answer.ok()) REQUIRE(response.ParseFromString(*answer));
  return response;
}

privileged::v1::Response ImpersonatorProcess::Ask(
    const privileged::v1::Request& request) const {
  return Exchange(BytesOf(request));
}

privileged::v1::Response ImpersonatorProcess::Submit(
    const std::string& user, uid_t uid, std::string* carme_id) const {
  privileged::v1::Request request = ValidSubmit();
  request.set_user(user);
  request.set_uid(uid);
  request.mutable_submit()->set_carme_job_id(NewJobId().value());
  if (carme_id != nullptr) *carme_id = request.submit().carme_job_id();
  return Ask(request);
}

privileged::v1::Response ImpersonatorProcess::ReadStorage(
    const std::string& user, uid_t uid) const {
  return Exchange(EncodeFrame(ValidReadStorage(user, uid).SerializeAsString()),
                  testing::kWaitTimeout, kStorageSocketSuffix);
}

std::string BytesOf(const privileged::v1::Request& request) {
  std::string bytes = EncodeFrame(request.SerializeAsString());
  if (!request.has_submit()) return bytes;
  privileged::v1::Commit commit;
  commit.set_carme_job_id(request.submit().carme_job_id());
  return bytes + EncodeFrame(commit.SerializeAsString());
}

EndJobs::~EndJobs() {
  OutputOf("squeue -h -o %A | xargs -r scancel -f 2>&1");
  WaitFor([] { return OutputOf("squeue -h").empty(); });
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

}  // namespace carme::impersonator
