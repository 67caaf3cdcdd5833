#include "backend/privileged/turns.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kAtOnce = absl::ZeroDuration();

// A process that has taken a user's turn; it ends when it is killed.
class Holder {
 public:
  // `places`: one of so many; 0: the user's turn.
  Holder(const Turns& turns, uid_t uid, int places = 0) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      const absl::Status taken = places == 0
                                     ? turns.Take(uid, kAtOnce)
                                     : turns.TakePlace(uid, places, kAtOnce);
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

TEST_CASE("turns: while another process has it a user's turn is not to be had",
          "[backend]") {
  const Turns turns = Turns::Create().value();
  const Holder holder(turns, 20001);
  for (const absl::Duration patience : {kAtOnce, absl::Milliseconds(50)}) {
    const absl::Status refused = turns.Take(20001, patience);
    CHECK(absl::IsResourceExhausted(refused));
    CHECK(refused.message() ==
          "another act of this user is under way: try again");
  }
  CHECK(turns.Take(20002, kAtOnce).ok());
  CHECK(turns.Take(4294967294, kAtOnce).ok());
}

TEST_CASE("turns: a user has so many places, and leaves those of others",
          "[backend]") {
  const Turns turns = Turns::Create().value();
  const Holder first(turns, 20001, 2);
  {
    const Holder second(turns, 20001, 2);
    const absl::Status refused =
        turns.TakePlace(20001, 2, absl::Milliseconds(50));
    CHECK(absl::IsResourceExhausted(refused));
    CHECK(refused.message() ==
          "this user has 2 acts under way, half of max_acts: try again");
    for (const uid_t other : {20000u, 20002u, 4294967294u}) {
      CHECK(turns.TakePlace(other, 2, kAtOnce).ok());
    }
    CHECK(turns.Take(20001, kAtOnce).ok());
  }
  // A process that ended leaves its place.
  CHECK(turns.TakePlace(20001, 2, testing::kPatience).ok());
}

TEST_CASE("turns: who is killed leaves the turn to the next", "[backend]") {
  const Turns turns = Turns::Create().value();
  { const Holder holder(turns, 20001); }
  CHECK(turns.Take(20001, testing::kPatience).ok());
  CHECK(turns.Take(20001, kAtOnce).ok());  // it has it already
  // What forks from who has it has it not.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(turns.Take(20001, kAtOnce).ok() ? 1 : 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
}  // namespace carme::impersonator
