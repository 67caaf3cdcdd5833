#include "backend/standby/active_role.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "backend/standby/lease_record.h"
#include "common/config/program.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr StandbyConfig kEnabled{.enabled = true, .lease = absl::Seconds(1)};

// A process that acquires the role. It writes a byte as soon as it has it, and
// keeps it until SIGTERM.
class Contender {
 public:
  explicit Contender(const std::string& directory, StandbyConfig config) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      BlockStopSignals();
      if (write(ready[1], "b", 1) != 1) _exit(4);
      const auto role = ActiveRole::Acquire(directory, config, "");
      if (!role.ok()) _exit(1);
      if (!*role) _exit(3);
      if (write(ready[1], "x", 1) != 1) _exit(4);
      WaitForStopSignal();
      const_cast<std::optional<ActiveRole>&>(*role).reset();
      _exit(0);
    }
    close(ready[1]);
    ready_ = ready[0];
    char blocked = 0;  // a signal before this would not reach Acquire()
    REQUIRE(read(ready_, &blocked, 1) == 1);
  }
  ~Contender() {
    if (pid_ > 0) End(SIGKILL);
    close(ready_);
  }
  // Returns false if the process ended instead.
  bool WaitUntilActive() {
    char byte;
    return read(ready_, &byte, 1) == 1;
  }
  // The exit code, or 128 and the signal.
  int End(int signal) {
    kill(pid_, signal);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int ready_ = -1;
};

TEST_CASE("active role: a second backend is refused without standby",
          "[backend]") {
  TempDir dir;
  const auto first = ActiveRole::Acquire(dir.path(), {}, "");
  REQUIRE_THAT(first, IsOk());
  CHECK_THAT(ActiveRole::Acquire(dir.path(), {}, ""),
             StatusIs(absl::StatusCode::kFailedPrecondition,
                      "only one backend may use it"));
}

TEST_CASE("active role: a standby takes over when the active one stops",
          "[backend]") {
  TempDir dir;
  Contender first(dir.path(), kEnabled);
  REQUIRE(first.WaitUntilActive());
  Contender second(dir.path(), kEnabled);
  CHECK(first.End(SIGTERM) == 0);
  CHECK(second.WaitUntilActive());
}

TEST_CASE("active role: a standby that waits ends at a stop signal",
          "[backend]") {
  TempDir dir;
  Contender first(dir.path(), kEnabled);
  REQUIRE(first.WaitUntilActive());
  Contender second(dir.path(), kEnabled);
  CHECK(second.End(SIGTERM) == 3);
}

TEST_CASE(
    "active role: a lock that is free is not enough while the last "
    "holder may still work",
    "[backend]") {
  TempDir dir;
  LeaseRecord elsewhere{.holder = IdentityOfThisProcess().value()};
  elsewhere.holder.host = "another";
  REQUIRE_THAT(WriteLease(dir.path(), elsewhere), IsOk());
  const absl::Time begun = absl::Now();
  Contender standby(dir.path(), kEnabled);
  // It renews its lease, as a host does that lost only its lock.
  for (int i = 0; i < 8; ++i) {
    absl::SleepFor(absl::Milliseconds(500));
    ++elsewhere.renewals;
    REQUIRE_THAT(WriteLease(dir.path(), elsewhere), IsOk());
  }
  const absl::Time last = absl::Now();
  REQUIRE(standby.WaitUntilActive());
  CHECK(absl::Now() - last >= absl::Seconds(2));
  CHECK(absl::Now() - begun >= TakeoverDelay(kEnabled) + absl::Seconds(3));
}

}  // namespace
}  // namespace carme::backend
