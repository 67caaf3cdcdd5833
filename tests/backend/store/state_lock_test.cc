#include "backend/store/state_lock.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/store/private_directory.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

TEST_CASE("state lock: refuses a second holder and names the first",
          "[backend]") {
  TempDir dir;
  const auto lock = StateLock::Take(dir.path());
  REQUIRE_THAT(lock, IsOk());
  const auto second = StateLock::Take(dir.path());
  CHECK_THAT(second, StatusIs(absl::StatusCode::kFailedPrecondition,
                              absl::StrCat("process ", getpid(), " on host ")));
  CHECK_THAT(second, StatusIs(absl::StatusCode::kFailedPrecondition,
                              "stop that one first"));
}

TEST_CASE("state lock: refuses another process until the first is killed",
          "[backend]") {
  TempDir dir;
  int ready[2] = {-1, -1};
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto held = StateLock::Take(dir.path());
    const char result = held.ok() ? '1' : '0';
    if (write(ready[1], &result, 1) != 1) _exit(1);
    while (true) pause();
  }
  char result = '0';
  REQUIRE(read(ready[0], &result, 1) == 1);
  CHECK(result == '1');
  CHECK_THAT(StateLock::Take(dir.path()),
             StatusIs(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("process ", child)));
  kill(child, SIGKILL);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  close(ready[0]);
  close(ready[1]);
  CHECK_THAT(StateLock::Take(dir.path()), IsOk());
}

TEST_CASE("state lock: does not follow a link", "[backend]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("target"), "precious", 0600), IsOk());
  REQUIRE(symlink(dir.File("target").c_str(),
                  dir.File("backend.lock").c_str()) == 0);
  CHECK_FALSE(StateLock::Take(dir.path()).ok());
  CHECK(ReadFile(dir.File("target")).value() == "precious");
}

TEST_CASE("state directory: a restore that was interrupted is reported",
          "[backend]") {
  TempDir dir;
  CHECK_THAT(CheckStateComplete(dir.path()), IsOk());
  REQUIRE_THAT(WriteFile(dir.File(kRestoreMarker), "", 0600), IsOk());
  CHECK_THAT(
      CheckStateComplete(dir.path()),
      StatusIs(absl::StatusCode::kFailedPrecondition, "carmectl restore"));
}

TEST_CASE("state directory: a file of another owner is reported with chown",
          "[backend]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("job_ca.pem"), "key", 0600), IsOk());
  CHECK_THAT(CheckFileOwners(dir.path(), geteuid()), IsOk());
  const auto refused = CheckFileOwners(dir.path(), geteuid() + 1);
  CHECK_THAT(refused,
             StatusIs(absl::StatusCode::kFailedPrecondition, "job_ca.pem"));
  CHECK_THAT(refused,
             StatusIs(absl::StatusCode::kFailedPrecondition, "chown -R"));
}

}  // namespace
}  // namespace carme::backend
