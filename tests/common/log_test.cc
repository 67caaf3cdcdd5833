#include "common/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "common/file.h"
#include "common/unique_fd.h"
#include "tests/support/temp_dir.h"

namespace carme {
namespace {

TEST_CASE("log: a value cannot begin a new line or a new key", "[common]") {
  CHECK(
      FormatLogLine("info", "login", {{"user", "ada\ninfo login user=root"}}) ==
      "info login user=\"ada?info login user=root\"");
  CHECK(FormatLogLine("info", "x", {{"a", "b\" c=\"d"}}) ==
        "info x a=\"b\\\" c=\\\"d\"");
  CHECK(FormatLogLine("info", "x", {{"a", "\x1b[31m"}}) == "info x a=?[31m");
}

TEST_CASE("log: fields are key=value in their order", "[common]") {
  CHECK(FormatLogLine("audit", "submit", {{"uid", 20001}, {"job", "k"}}) ==
        "audit submit uid=20001 job=k");
}

TEST_CASE("log: marked lines begin behind another program's unfinished one",
          "[common]") {
  const TempDir dir;
  const UniqueFd file(open(dir.File("log").c_str(),
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const UniqueFd before(dup(STDERR_FILENO));
  REQUIRE(dup2(file.get(), STDERR_FILENO) == STDERR_FILENO);
  MarkLogLines("carme-agent");
  LogInfo("first");
  const bool wrote = write(file.get(), "0123", 4) == 4;
  LogInfo("second");
  LogInfo("third");
  MarkLogLines("");
  REQUIRE(dup2(before.get(), STDERR_FILENO) == STDERR_FILENO);
  REQUIRE(wrote);
  const std::string text = ReadFile(dir.File("log")).value();
  CHECK(text.starts_with("[carme-agent] "));
  CHECK_THAT(text, Catch::Contains(" info first\n0123\n[carme-agent] "));
  CHECK_THAT(text, Catch::Contains(" info second\n[carme-agent] "));
}

TEST_CASE("log: each line of a process for one request names the request",
          "[common]") {
  const TempDir dir;
  const UniqueFd file(open(dir.File("log").c_str(),
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const UniqueFd before(dup(STDERR_FILENO));
  REQUIRE(dup2(file.get(), STDERR_FILENO) == STDERR_FILENO);
  MarkLogLinesOfRequest("r-1");
  LogInfo("first", {{"job", "k"}});
  MarkLogLinesOfRequest("");
  LogInfo("second");
  REQUIRE(dup2(before.get(), STDERR_FILENO) == STDERR_FILENO);
  const std::string text = ReadFile(dir.File("log")).value();
  CHECK_THAT(text, Catch::Contains(" info first job=k request=r-1\n"));
  CHECK_THAT(text, Catch::EndsWith(" info second\n"));
}

TEST_CASE("log: an observer receives warnings and errors until it is removed",
          "[common]") {
  std::string seen;
  SetLogObserver([&](LogLevel level, std::string_view event, LogFields fields) {
    seen += FormatLogLine(level == LogLevel::kError ? "E" : "W", event, fields);
    seen += "\n";
  });
  LogInfo("one");
  LogWarning("two", {{"job", "k"}});
  LogError("three");
  SetLogObserver(nullptr);
  LogError("four");
  CHECK(seen == "W two job=k\nE three\n");
}

}  // namespace
}  // namespace carme
