#include "backend/privileged/impersonator/authz/user_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kAtOnce = absl::ZeroDuration();

// A process that holds a user's lock until it is killed.
class Holder {
 public:
  // `slots`: one of so many slots; 0: the user's lock.
  Holder(const UserLock& user_lock, uid_t uid, int slots = 0) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      const absl::Status taken =
          slots == 0 ? user_lock.Acquire(uid, kAtOnce)
                     : user_lock.AcquireSlot(uid, slots, kAtOnce);
      const char took = taken.ok() ? 'y' : 'n';
      if (write(ends[1], &took, 1) != 1) _exit(1);
      while (true) pause();
    }
    char took = '?';
    REQUIRE(read(ends[0], &took, 1) == 1);
    CHECK(took == 'y');
    close(ends[0]);
    close(ends[1]);
  }
  ~Holder() {
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

TEST_CASE("user lock: is exclusive between processes", "[backend]") {
  const UserLock user_lock = UserLock::Create().value();
  const Holder holder(user_lock, 20001);
  for (const absl::Duration timeout : {kAtOnce, absl::Milliseconds(50)}) {
    const absl::Status refused = user_lock.Acquire(20001, timeout);
    CHECK(absl::IsResourceExhausted(refused));
    CHECK(refused.message() ==
          "another operation of this user is running: try again");
  }
  CHECK_THAT(user_lock.Acquire(20002, kAtOnce), IsOk());
  CHECK_THAT(user_lock.Acquire(4294967294, kAtOnce), IsOk());
}

TEST_CASE("user lock: a user has limited slots, apart from other users",
          "[backend]") {
  const UserLock user_lock = UserLock::Create().value();
  const Holder first(user_lock, 20001, 2);
  {
    const Holder second(user_lock, 20001, 2);
    const absl::Status refused =
        user_lock.AcquireSlot(20001, 2, absl::Milliseconds(50));
    CHECK(absl::IsResourceExhausted(refused));
    CHECK(refused.message() ==
          "this user has 2 operations running, half of max_operations: try "
          "again");
    for (const uid_t other : {20000u, 20002u, 4294967294u}) {
      CHECK_THAT(user_lock.AcquireSlot(other, 2, kAtOnce), IsOk());
    }
    CHECK_THAT(user_lock.Acquire(20001, kAtOnce), IsOk());
  }
  // A process that ended releases its slot.
  CHECK_THAT(user_lock.AcquireSlot(20001, 2, testing::kWaitTimeout), IsOk());
}

TEST_CASE("user lock: is released when its process is killed", "[backend]") {
  const UserLock user_lock = UserLock::Create().value();
  { const Holder holder(user_lock, 20001); }
  CHECK_THAT(user_lock.Acquire(20001, testing::kWaitTimeout), IsOk());
  CHECK_THAT(user_lock.Acquire(20001, kAtOnce), IsOk());  // it has it already
  // Children do not inherit the lock.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(user_lock.Acquire(20001, kAtOnce).ok() ? 1 : 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
}  // namespace carme::impersonator
