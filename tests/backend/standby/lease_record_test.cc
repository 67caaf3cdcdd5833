#include "backend/standby/lease_record.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

TEST_CASE("lease record: does not follow a link", "[backend]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("target"), "precious", 0600), IsOk());
  REQUIRE(symlink(dir.File("target").c_str(),
                  dir.File("backend.lease").c_str()) == 0);
  LeaseRecord record{.holder = IdentityOfThisProcess().value()};
  CHECK_FALSE(WriteLease(dir.path(), record).ok());
  CHECK(ReadFile(dir.File("target")).value() == "precious");
}

TEST_CASE("lease record: a missing or damaged one has no holder", "[backend]") {
  TempDir dir;
  CHECK(ReadLease(dir.path()).value() == std::nullopt);
  for (const std::string text :
       {"", "host = \"a", "pid = 1\n", "host = 3\n", "unknown = 1\n"}) {
    INFO(text);
    REQUIRE_THAT(WriteFile(dir.File("backend.lease"), text, 0600), IsOk());
    const auto record = ReadLease(dir.path());
    REQUIRE_THAT(record, IsOk());
    CHECK_FALSE(*record);
  }
}

TEST_CASE("lease record: is read as it was written, also over a longer one",
          "[backend]") {
  TempDir dir;
  LeaseRecord record{.holder = IdentityOfThisProcess().value(),
                     .renewals = 1'000'000'007};
  REQUIRE_THAT(WriteLease(dir.path(), record), IsOk());
  CHECK(ReadLease(dir.path()).value() == record);
  record.renewals = 1;
  record.released = true;
  REQUIRE_THAT(WriteLease(dir.path(), record), IsOk());
  CHECK(ReadLease(dir.path()).value() == record);
}

TEST_CASE("lease record: a host name cannot add a line", "[backend]") {
  TempDir dir;
  LeaseRecord record{.holder = IdentityOfThisProcess().value()};
  record.holder.host = "a\"\nreleased = true\nx = \"";
  REQUIRE_THAT(WriteLease(dir.path(), record), IsOk());
  const auto read = ReadLease(dir.path());
  REQUIRE_THAT(read, IsOk());
  REQUIRE(*read);
  CHECK_FALSE((*read)->released);
}

TEST_CASE("process identity: only a process of this machine has surely ended",
          "[backend]") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    while (true) pause();
  }
  ProcessIdentity process = IdentityOfThisProcess().value();
  if (process.machine_id.empty()) {
    WARN("no /etc/machine-id: nothing is certain");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_FALSE(HasCertainlyEnded(process));
    return;
  }
  CHECK_FALSE(HasCertainlyEnded(process));
  process.start_time -= 1;  // the id belongs to a later process
  CHECK(HasCertainlyEnded(process));
  process.pid = child;
  kill(child, SIGKILL);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(HasCertainlyEnded(process));
  ProcessIdentity elsewhere = process;
  elsewhere.host = "another";
  CHECK_FALSE(HasCertainlyEnded(elsewhere));
  elsewhere = process;
  elsewhere.machine_id[0] ^= 1;
  CHECK_FALSE(HasCertainlyEnded(elsewhere));
  elsewhere = process;
  elsewhere.pid_namespace = "pid:[1]";
  CHECK_FALSE(HasCertainlyEnded(elsewhere));
}

}  // namespace
}  // namespace carme::backend
