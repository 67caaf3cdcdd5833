#include <signal.h>

#include <catch2/catch.hpp>

#include "absl/time/clock.h"
#include "common/file.h"
#include "slurm-hooks/hooks/program_run.h"
#include "tests/slurm-hooks/hooks/root_dir.h"
#include "tests/support/status_matchers.h"

namespace carme::hooks {
namespace {

absl::Status Shell(const std::string& script, absl::Duration max) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  return RunProgram({"/bin/sh", "-c", script}, {"WORD=given"},
                    absl::Now() + max);
}

TEST_CASE("run program: reports how it failed", "[slurm-hooks]") {
  CHECK(absl::IsNotFound(
      RunProgram({"/no/such"}, {}, absl::Now() + absl::Seconds(60))));
  const absl::Status ended = Shell("exit 3", absl::Seconds(60));
  CHECK(absl::IsInternal(ended));
  CHECK(ended.message() == "\"/bin/sh\" ended with exit code 3");
}

TEST_CASE("run program: kills a slow program and its children",
          "[slurm-hooks]") {
  RootDir dir;
  const absl::Status status =
      Shell("sleep 600 & echo $! > " + dir.At("pid") + "; wait",
            absl::Milliseconds(500));
  CHECK(absl::IsDeadlineExceeded(status));
  const auto pid = ReadFile(dir.At("pid"));
  // Killed before it could write: then there is none.
  if (pid.ok() && !pid->empty()) {
    const absl::Time latest = absl::Now() + absl::Seconds(60);
    const auto gone = [&] {
      // Its new parent may not have reaped it yet.
      const auto state =
          ReadFile("/proc/" + std::to_string(std::stoi(*pid)) + "/stat");
      return !state.ok() || state->find(") Z ") != std::string::npos;
    };
    while (!gone() && absl::Now() < latest)
      absl::SleepFor(absl::Milliseconds(5));
    CHECK(gone());
  }
}

TEST_CASE("run program: gives it its variables and no others",
          "[slurm-hooks]") {
  setenv("SECRET", "x", 1);
  CHECK_THAT(
      Shell("[ \"$WORD\" = given ] && [ -z \"$SECRET\" ]", absl::Seconds(60)),
      IsOk());
}

}  // namespace
}  // namespace carme::hooks
