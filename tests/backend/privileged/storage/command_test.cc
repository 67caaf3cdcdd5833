#include "backend/privileged/storage/command.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::storage_reader {
namespace {

using testing::kWaitTimeout;
using testing::WaitFor;

absl::StatusOr<std::string> Run(const std::vector<std::string>& command,
                                absl::Duration timeout = kWaitTimeout) {
  return RunStorageCommand(command, -1, absl::Now() + timeout);
}

absl::StatusOr<std::string> Shell(const std::string& script,
                                  absl::Duration timeout = kWaitTimeout) {
  return Run({"/bin/sh", "-c", script}, timeout);
}

// No such process, or one that has ended but was not waited for yet.
bool IsGone(const std::string& pid) {
  const auto stat = ReadFile(absl::StrCat("/proc/", pid, "/stat"));
  return !stat.ok() || stat->find(") Z ") != std::string::npos;
}

TEST_CASE("storage command: refuses a program that others can change",
          "[backend]") {
  const TempDir dir;
  const std::string program = dir.File("quota");
  REQUIRE_THAT(WriteFile(program, "#!/bin/sh\necho used_bytes=1\n", 0755),
               IsOk());
  REQUIRE(chmod(program.c_str(), 0777) == 0);
  const auto output = Run({program});
  CHECK(absl::IsFailedPrecondition(output.status()));
  CHECK_THAT(std::string(output.status().message()),
             Catch::Contains("expected owner root"));
}

TEST_CASE("storage command: a missing program is an error", "[backend]") {
  CHECK(absl::IsFailedPrecondition(Run({"/usr/bin/no-such-program"}).status()));
  CHECK(absl::IsFailedPrecondition(Run({"/etc/passwd"}).status()));
}

TEST_CASE("storage command: a failed program has no output", "[backend]") {
  CHECK_THAT(Shell("echo used_bytes=1; exit 3").status().ToString(),
             Catch::Contains("ended with code 3"));
  CHECK_THAT(Shell("kill -TERM $$").status().ToString(),
             Catch::Contains("killed by signal 15"));
}

TEST_CASE("storage command: a program with too much output is killed",
          "[backend]") {
  CHECK_THAT(Run({"/usr/bin/yes"}).status().ToString(),
             Catch::Contains("more than 65536 bytes"));
}

TEST_CASE("storage command: a program that hangs is killed with its children",
          "[backend]") {
  const TempDir dir;
  const std::string pids = dir.File("pids");
  std::string child;
  // As long as this machine needs for the beginning.
  for (auto time = absl::Milliseconds(200); child.empty(); time *= 2) {
    REQUIRE(time < kWaitTimeout);
    const auto output = Shell(
        absl::StrCat("sleep 987 & echo $! > ", pids, "; trap '' TERM; wait"),
        time);
    CHECK(absl::IsDeadlineExceeded(output.status()));
    child =
        std::string(absl::StripAsciiWhitespace(ReadFile(pids).value_or("")));
  }
  CHECK(WaitFor([&] { return IsGone(child); }));
}

TEST_CASE("storage command: is killed when the request is cancelled",
          "[backend]") {
  int line[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) == 0);
  close(line[1]);
  const auto output = RunStorageCommand({"/bin/sleep", "987"}, line[0],
                                        absl::Now() + kWaitTimeout);
  close(line[0]);
  CHECK(absl::IsCancelled(output.status()));
}

TEST_CASE("storage command: kills processes that the program leaves behind",
          "[backend]") {
  const auto output = Shell("sleep 987 & echo $!");
  REQUIRE_THAT(output, IsOk());
  const std::string child(absl::StripAsciiWhitespace(*output));
  REQUIRE_FALSE(child.empty());
  CHECK(WaitFor([&] { return IsGone(child); }));
}

TEST_CASE("storage command: has no environment and no open files",
          "[backend]") {
  setenv("CARME_SECRET", "x", 1);
  CHECK(Run({"/usr/bin/env"}).value_or("") ==
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin\nLC_ALL=C\n");
  // 0 to 2, and that of the directory itself.
  CHECK(Run({"/bin/ls", "/proc/self/fd"}).value_or("") == "0\n1\n2\n3\n");
}

TEST_CASE("storage command: does not interpret arguments", "[backend]") {
  CHECK(Run({"/bin/echo", "$(id)", "a b", "; id", "*"}).value_or("") ==
        "$(id) a b ; id *\n");
}

TEST_CASE("storage command: returns all output if it is closed early",
          "[backend]") {
  CHECK(Shell("echo one; echo two; exec 1>&-; exit 0").value_or("") ==
        "one\ntwo\n");
}

}  // namespace
}  // namespace carme::storage_reader
