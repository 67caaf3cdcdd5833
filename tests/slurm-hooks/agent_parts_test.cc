// The small parts of the agent that stand alone.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "absl/time/clock.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/app_log.h"
#include "slurm-hooks/agent/job_directory.h"
#include "slurm-hooks/agent/log_keeper.h"
#include "slurm-hooks/agent/log_tail.h"
#include "slurm-hooks/agent/node_listener.h"
#include "slurm-hooks/agent/status_line.h"
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
  CHECK(find(Uid(getuid())).ok());
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

constexpr LogBounds kShort = {.longest_bytes = 64 << 10,
                              .kept_bytes = 4 << 10,
                              .period = absl::Milliseconds(1)};

UniqueFd OpenedLog(const std::string& path) {
  auto log = OpenAppLog(path);
  REQUIRE(log.ok());
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

TEST_CASE("log keeper: leaves a log of ordinary length alone", "[agent]") {
  const TempDir dir;
  const std::string path = dir.path() + "/a.log";
  const UniqueFd log = OpenedLog(path);
  const UniqueFd longer = OpenedLog(dir.path() + "/b.log");
  const std::string ordinary(64 << 10, 'x');
  Append(log, ordinary);
  LogKeeper keeper(kShort);
  keeper.Keep("a", OpenedLog(path));
  keeper.Keep("b", OpenedLog(dir.path() + "/b.log"));
  // They are looked at in this order.
  Append(longer, ordinary + "\n");
  AwaitShortened(longer);
  CHECK(ContentOf(log) == ordinary);
}

TEST_CASE("log keeper: holds a log short while its app writes on", "[agent]") {
  const TempDir dir;
  const std::string path = dir.path() + "/app.log";
  const UniqueFd of_app = OpenedLog(path);
  LogKeeper keeper(kShort);
  keeper.Keep("app", OpenedLog(path));
  for (int cuts = 0; cuts < 3; ++cuts) {
    while (ContentOf(of_app).size() <= 64 << 10) {
      Append(of_app, std::string(4095, 'x') + "\n");
    }
    AwaitShortened(of_app);
  }
  Append(of_app, "the last\n");
  CHECK(LastLineOf(of_app.get(), 100) == "the last");
}

TEST_CASE("log tail: what is no file has none", "[agent]") {
  CHECK(LastLineOf(-1, 100).empty());
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  CHECK(LastLineOf(null.get(), 100).empty());
}

TEST_CASE("log tail: the last line, cleaned and cut", "[agent]") {
  TempDir dir;
  const UniqueFd log(open((dir.path() + "/log").c_str(),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string text =
      std::string(5000, '\n') + "first\n  l\x1b\xc3st \n\n";
  REQUIRE(write(log.get(), text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
  CHECK(LastLineOf(log.get(), 100) == "l??st");
  CHECK(LastLineOf(log.get(), 2) == "l?");
  CHECK(LastLineWith("irs", log.get(), 100) == "irst");
  CHECK(LastLineWith("none", log.get(), 100).empty());
}

TEST_CASE("node listener: a range that is taken is refused", "[agent]") {
  const auto node = LocalAddressTowards("127.0.0.1:9");
  REQUIRE(node.ok());
  const auto first = BindInRange(*node, 1024, 65535);
  REQUIRE(first.ok());
  CHECK(absl::IsResourceExhausted(
      BindInRange(*node, first->port, first->port).status()));
}

TEST_CASE("node listener: nobody gets in before it listens", "[agent]") {
  const auto node = LocalAddressTowards("127.0.0.1:9");
  REQUIRE(node.ok());
  const auto taken = BindInRange(*node, 20000, 29999);
  REQUIRE(taken.ok());
  const auto address = net::Address::FromIp(node->Ip(), taken->port);
  const auto connects = [&] {
    const UniqueFd fd(socket(address->family(), SOCK_STREAM, 0));
    return connect(fd.get(), address->get(), address->size()) == 0;
  };
  CHECK_FALSE(connects());
  CHECK(errno == ECONNREFUSED);
  REQUIRE(Listen(*taken).ok());
  CHECK(connects());
}

TEST_CASE("node listener: takes the next port that is free", "[agent]") {
  const auto node = LocalAddressTowards("localhost:9");
  REQUIRE(node.ok());
  const auto first = BindInRange(*node, 20000, 29999);
  REQUIRE(first.ok());
  const int port = first->port;
  const auto second = BindInRange(*node, port - 1, port);
  REQUIRE(second.ok());
  CHECK(second->port == port - 1);
}

}  // namespace
}  // namespace carme::agent
