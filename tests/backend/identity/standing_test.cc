#include "backend/identity/standing.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "tests/backend/identity/word_of_mouth.h"
#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

struct Site {
  FakeClock clock;
  WordOfMouth directory;
  Standing standing{&directory, &clock};

  absl::StatusCode Ask() { return standing.Of("ada").status().code(); }
};

TEST_CASE(
    "standing: a no counts for a moment, and since when it is no is known",
    "[backend]") {
  Site site;
  site.directory.Say("ada", absl::NotFoundError("not in the group"));
  const absl::Time first = site.clock.Now();
  CHECK(site.standing.MissingSince("ada") == absl::InfiniteFuture());
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  CHECK(site.directory.asked() == 1);
  for (int i = 0; i < 30; ++i) {
    site.clock.Advance(absl::Hours(1));
    CHECK(site.Ask() == absl::StatusCode::kNotFound);
    site.standing.Sweep();
    CHECK(site.standing.MissingSince("ada") == first);
  }
  site.directory.Say("ada", WordOfMouth::Named("ada"));
  site.clock.Advance(Standing::kPause);
  CHECK(site.Ask() == absl::StatusCode::kOk);
  CHECK(site.standing.MissingSince("ada") == absl::InfiniteFuture());
}

TEST_CASE("standing: without any word, a silent directory refuses",
          "[backend]") {
  Site site;
  site.directory.Say("ada", absl::UnavailableError("away"));
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
  CHECK(site.directory.asked() == 1);  // the second did not ask again so soon
  site.clock.Advance(Standing::kPause);
  site.directory.Say("ada", WordOfMouth::Named("ada"));
  CHECK(site.Ask() == absl::StatusCode::kOk);
}

TEST_CASE("standing: the last word is given without asking", "[backend]") {
  Site site;
  CHECK(absl::IsUnavailable(site.standing.Last("ada").status()));
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.clock.Advance(Standing::kUsable - absl::Seconds(1));
  CHECK(site.standing.Last("ada").ok());
  site.directory.Say("ada", absl::NotFoundError("left"));
  site.clock.Advance(absl::Seconds(1));
  CHECK(absl::IsUnavailable(site.standing.Last("ada").status()));
  CHECK(site.directory.asked() == 1);
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  CHECK(absl::IsNotFound(site.standing.Last("ada").status()));
}

TEST_CASE("standing: a word is good for five minutes", "[backend]") {
  Site site;
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.clock.Advance(Standing::kGood - absl::Seconds(1));
  CHECK(site.Ask() == absl::StatusCode::kOk);
  CHECK(site.directory.asked() == 1);
  site.directory.Say("ada", WordOfMouth::Named("ada", Role::kAdmin));
  site.clock.Advance(absl::Seconds(1));
  CHECK(site.standing.Of("ada")->person.role == Role::kAdmin);
  CHECK(site.directory.asked() == 2);
}

TEST_CASE(
    "standing: the last word counts while the directory is away, not for "
    "ever",
    "[backend]") {
  Site site;
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.directory.Say("ada", absl::UnavailableError("away"));
  for (int i = 0; i < 2; ++i) {
    site.clock.Advance(Standing::kGood);
    CHECK(site.Ask() == absl::StatusCode::kOk);
  }
  site.clock.Advance(Standing::kGood);
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
}

TEST_CASE("standing: the old word is over when a new one is no", "[backend]") {
  Site site;
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.directory.Say("ada", absl::NotFoundError("left"));
  site.clock.Advance(Standing::kGood);
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  site.directory.Say("ada", absl::UnavailableError("away"));
  site.clock.Advance(Standing::kPause);
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
}

TEST_CASE("standing: one asks, the others take the last word or wait",
          "[backend]") {
  Site site;
  absl::Notification go;
  site.directory.HoldUntil(&go);
  std::atomic<int> ok = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] { ok += site.standing.Of("ada").ok() ? 1 : 0; });
  }
  site.directory.AwaitAsked(1);
  go.Notify();
  for (std::thread& caller : callers) caller.join();
  CHECK(ok == 8);
  CHECK(site.directory.asked() == 1);
}

}  // namespace
}  // namespace carme::backend
