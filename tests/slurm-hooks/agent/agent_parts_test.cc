// The small parts of the agent that stand alone.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "absl/time/clock.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/node_listener.h"
#include "slurm-hooks/agent/job/status_line.h"
#include "slurm-hooks/agent/runtime/home_check.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

TEST_CASE("job directory: a missing one names the prolog", "[agent]") {
  TempDir dir;
  const auto found = FindJobDirectory(dir.path(), SlurmJobId(7), Uid(getuid()));
  CHECK(absl::IsNotFound(found.status()));
  CHECK(std::string(found.status().message()).find("prolog") !=
        std::string::npos);
}

TEST_CASE("job directory: refuses links, files, modes and owners", "[agent]") {
  TempDir dir;
  const std::string path = dir.path() + "/7";
  const auto find = [&](Uid uid) {
    return FindJobDirectory(dir.path(), SlurmJobId(7), uid).status();
  };
  REQUIRE(symlink("/tmp", path.c_str()) == 0);
  CHECK(absl::IsFailedPrecondition(find(Uid(getuid()))));
  REQUIRE(unlink(path.c_str()) == 0);
  UniqueFd(creat(path.c_str(), 0700));
  CHECK(absl::IsFailedPrecondition(find(Uid(getuid()))));
  REQUIRE(unlink(path.c_str()) == 0);
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  REQUIRE(chmod(path.c_str(), 0750) == 0);
  CHECK(absl::IsFailedPrecondition(find(Uid(getuid()))));
  REQUIRE(chmod(path.c_str(), 0700) == 0);
  CHECK(absl::IsFailedPrecondition(find(Uid(getuid() + 1))));
  CHECK_THAT(find(Uid(getuid())), IsOk());
}

TEST_CASE("readiness: only a status line has a code", "[agent]") {
  for (const char* text : {"", "HTTP/1.1 20", "HTTP/2 200 OK", "HTTP/1.1x200",
                           "HTTP/1.1 2x0", "SSH-2.0-Open"}) {
    INFO(text);
    CHECK_FALSE(ReadStatusCode(text).has_value());
  }
  CHECK(ReadStatusCode("HTTP/1.1 200 OK").value() == 200);
  CHECK(ReadStatusCode("HTTP/1.0 503").value() == 503);
}

constexpr LogLimits kShort = {.max_bytes = 64 << 10,
                              .retained_bytes = 4 << 10,
                              .period = absl::Milliseconds(1)};

UniqueFd OpenedLog(const std::string& path) {
  auto log = OpenAppLog(path);
  REQUIRE_THAT(log, IsOk());
  return *std::move(log);
}

void Append(const UniqueFd& log, const std::string& text) {
  REQUIRE(write(log.get(), text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
}

std::string ContentOf(const UniqueFd& log) {
  std::string text(1 << 20, '\0');
  const ssize_t got = pread(log.get(), text.data(), text.size(), 0);
  REQUIRE(got >= 0);
  text.resize(static_cast<size_t>(got));
  return text;
}

// The log was cut, and what is kept of it is there.
bool Shortened(const UniqueFd& log) {
  const std::string text = ContentOf(log);
  return text.size() <= 64 << 10 && text.find("…\n") != std::string::npos;
}

void AwaitShortened(const UniqueFd& log) {
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (!Shortened(log)) {
    REQUIRE(absl::Now() < deadline);
    absl::SleepFor(absl::Milliseconds(1));
  }
}

TEST_CASE("log limiter: leaves a short log alone", "[agent]") {
  const TempDir dir;
  const std::string path = dir.path() + "/a.log";
  const UniqueFd log = OpenedLog(path);
  const UniqueFd longer = OpenedLog(dir.path() + "/b.log");
  const std::string ordinary(64 << 10, 'x');
  Append(log, ordinary);
  LogLimiter keeper(kShort);
  keeper.Add("a", OpenedLog(path));
  keeper.Add("b", OpenedLog(dir.path() + "/b.log"));
  // They are looked at in this order.
  Append(longer, ordinary + "\n");
  AwaitShortened(longer);
  CHECK(ContentOf(log) == ordinary);
}

TEST_CASE("log limiter: shortens a log while its app writes", "[agent]") {
  const TempDir dir;
  const std::string path = dir.path() + "/app.log";
  const UniqueFd of_app = OpenedLog(path);
  LogLimiter keeper(kShort);
  keeper.Add("app", OpenedLog(path));
  for (int cuts = 0; cuts < 3; ++cuts) {
    while (ContentOf(of_app).size() <= 64 << 10) {
      Append(of_app, std::string(4095, 'x') + "\n");
    }
    AwaitShortened(of_app);
  }
  Append(of_app, "the last\n");
  CHECK(ReadLastLine(of_app.get(), 100) == "the last");
}

TEST_CASE("log tail: a cause is not hidden behind scratch paths", "[agent]") {
  const std::string line =
      "FATAL: conveyor failed to get: open /var/lib/carme/scratch/7/"
      "build-temp-1/bundle-temp-144514/VERSION: no such file";
  CHECK(WithoutDirectory(line, "/var/lib/carme/scratch/7") ==
        "FATAL: conveyor failed to get: open VERSION: no such file");
  CHECK(WithoutDirectory("\"/s/7/a/b\" /s/77/c /s/7", "/s/7") ==
        "\"b\" /s/77/c /s/7");
  CHECK(WithoutDirectory("as it is", "") == "as it is");
}

TEST_CASE("log tail: of a long line beginning and end stay", "[agent]") {
  CHECK(CutInMiddle("short", 5) == "short");
  CHECK(CutInMiddle(std::string(50, 'a') + std::string(50, 'b') + "cause",
                    20) == "aaaaa ... bbbbbcause");
}

// In a mount namespace of its own; without the right to mount it only sees that
// a missing directory is named.
TEST_CASE("home check: a full or missing home is named with its cause",
          "[agent]") {
  const TempDir dir;
  CHECK_THAT(CheckWritable(dir.path()), IsOk());
  CHECK(WithHomeProblem("", 1, dir.path()).empty());
  const std::string none = dir.File("none");
  const DisplayText found = WithHomeProblem("", 3, none);
  CHECK(found.text == "ended with exit code 3; home directory \"" + none +
                          "\" is not writable: No such file or directory");
  REQUIRE(found.parameters.size() == 2);
  CHECK(found.parameters[0].value.code == "AGENT_ENDED");
  CHECK(found.parameters[1].value.code == "AGENT_HOME_NOT_WRITABLE");
  CHECK(WithHomeProblem("open x: No such file or directory", 3, none).text ==
        "open x: No such file or directory");
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", dir.path().c_str(), "tmpfs", 0, "size=8k") != 0) {
      _exit(77);
    }
    const std::string said = WithHomeProblem("", 1, dir.path()).text;
    _exit(said.find("No space left on device") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
}

TEST_CASE("log tail: is empty for other than regular files", "[agent]") {
  CHECK(ReadLastLine(-1, 100).empty());
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  CHECK(ReadLastLine(null.get(), 100).empty());
}

TEST_CASE("log tail: the last line, cleaned and cut", "[agent]") {
  TempDir dir;
  const UniqueFd log(open((dir.path() + "/log").c_str(),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string text =
      std::string(5000, '\n') + "first\n  l\x1b\xc3st \n\n";
  REQUIRE(write(log.get(), text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
  CHECK(ReadLastLine(log.get(), 100) == "l??st");
  CHECK(ReadLastLine(log.get(), 2) == "l?");
  const std::string own = "cause\n[carme-agent] 2026 info batch job ended\n";
  REQUIRE(write(log.get(), own.data(), own.size()) ==
          static_cast<ssize_t>(own.size()));
  CHECK(ReadLastLine(log.get(), 100) == "cause");
  CHECK(ReadLastLineWith("irs", log.get(), 100) == "irst");
  CHECK(ReadLastLineWith("none", log.get(), 100).empty());
}

TEST_CASE("node listener: refuses a range without a free port", "[agent]") {
  const auto node = LocalAddressTowards("127.0.0.1:9");
  REQUIRE_THAT(node, IsOk());
  const auto first = BindInRange(*node, 1024, 65535);
  REQUIRE_THAT(first, IsOk());
  CHECK(absl::IsResourceExhausted(
      BindInRange(*node, first->port, first->port).status()));
}

TEST_CASE("node listener: refuses connections before it listens", "[agent]") {
  const auto node = LocalAddressTowards("127.0.0.1:9");
  REQUIRE_THAT(node, IsOk());
  const auto taken = BindInRange(*node, 20000, 29999);
  REQUIRE_THAT(taken, IsOk());
  const auto address = net::Address::FromIp(node->Ip(), taken->port);
  const auto connects = [&] {
    const UniqueFd fd(socket(address->family(), SOCK_STREAM, 0));
    return connect(fd.get(), address->get(), address->size()) == 0;
  };
  CHECK_FALSE(connects());
  CHECK(errno == ECONNREFUSED);
  REQUIRE_THAT(Listen(*taken), IsOk());
  CHECK(connects());
}

TEST_CASE("node listener: uses the next free port", "[agent]") {
  const auto node = LocalAddressTowards("localhost:9");
  REQUIRE_THAT(node, IsOk());
  const auto first = BindInRange(*node, 20000, 29999);
  REQUIRE_THAT(first, IsOk());
  const int port = first->port;
  const auto second = BindInRange(*node, port - 1, port);
  REQUIRE_THAT(second, IsOk());
  CHECK(second->port == port - 1);
}

}  // namespace
}  // namespace carme::agent
