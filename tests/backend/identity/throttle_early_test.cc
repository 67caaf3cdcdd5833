// Second factors that are shown before the password, and the passwords that
// come after a right one, as the throttle counts them.
#include <catch2/catch.hpp>
#include <string>

#include "backend/identity/throttle.h"
#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

constexpr char kHome[] = "192.0.2.1";
constexpr char kNew[] = "192.0.2.77";
const GuessesConfig kGuesses;

std::string Elsewhere(int i) {
  return "198.51." + std::to_string(i / 250) + "." + std::to_string(i % 250);
}

bool Refused(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

void LogIn(Throttle* throttle, const std::string& account,
           const std::string& address) {
  REQUIRE(throttle->Try(account, address, Guess::kFactor).ok());
  throttle->Succeed(account, address);
}

// How many codes for ada are looked at when each of so many addresses sends so
// many.
int Codes(Throttle* throttle, int addresses, int each) {
  int looked_at = 0;
  for (int i = 0; i < addresses * each; ++i) {
    looked_at +=
        throttle->Try("ada", Elsewhere(i % addresses), Guess::kEarlyCode).ok();
  }
  return looked_at;
}

// Uses up what strangers have of an account's passwords.
void Exhaust(Throttle* throttle, const std::string& account) {
  for (int i = 0; i < 4; ++i) {
    throttle->Try(account, Elsewhere(i)).IgnoreError();
  }
}

TEST_CASE(
    "throttle, early: it is told when a factor helps, and when it does not",
    "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  Exhaust(&throttle, "ada");
  const absl::Status refused = throttle.Try("ada", kNew);
  CHECK(Refused(refused));
  CHECK(FactorFirst(refused) == kGuesses.window);
  clock.Advance(absl::Minutes(1));
  CHECK(FactorFirst(throttle.Try("ada", kNew)) ==
        kGuesses.window - absl::Minutes(1));
  // An address that has to wait, has to.
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("", kNew).ok());
  }
  const absl::Status waits = throttle.Try("ada", kNew);
  CHECK(waits.message() == "too many failed log-ins: try again in 1 s");
  CHECK(FactorFirst(waits) == std::nullopt);
  CHECK(FactorFirst(absl::OkStatus()) == std::nullopt);
}

TEST_CASE("throttle, early: at home too, when the share there is used up",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  for (int i = 0; i < kGuesses.from_known; ++i) {
    REQUIRE(FactorFirst(throttle.Try("ada", kHome)) == std::nullopt);
  }
  CHECK(FactorFirst(throttle.Try("ada", kHome)) == kGuesses.window);
  CHECK(throttle.Try("ada", kHome, Guess::kEarlyCode).ok());
}

TEST_CASE("throttle, early: codes are bounded at each address", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  CHECK(Codes(&throttle, 1, 1000) == Throttle::kFree);
  // A day of one address that asks every second.
  int looked_at = 0;
  for (int second = 0; second < 24 * 60 * 60; ++second) {
    looked_at += throttle.Try("ada", kNew, Guess::kEarlyCode).ok();
    clock.Advance(absl::Seconds(1));
  }
  CHECK(looked_at < 50);
}

TEST_CASE("throttle, early: codes are bounded in total, and keep no owner out",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  const int most = Throttle::kFreeCodes + 500 * Throttle::kFirstCodes;
  CHECK(Codes(&throttle, 500, 20) <= most);
  // The strangers' addresses wait for a day now.
  CHECK(throttle.Try("ada", Elsewhere(0), Guess::kEarlyCode).message() ==
        "too many failed log-ins: try again in 24 hours");
  clock.Advance(absl::Hours(23));
  CHECK(Codes(&throttle, 500, 20) == 0);
  CHECK(throttle.Try("ada", Elsewhere(0), Guess::kEarlyCode).message() ==
        "too many failed log-ins: try again in 60 minutes");
  // The owner's new one does not, nor does another name at a stranger's.
  for (int i = 0; i < Throttle::kFirstCodes; ++i) {
    CHECK(throttle.Try("ada", kNew, Guess::kEarlyCode).ok());
  }
  CHECK(throttle.Try("bob", Elsewhere(0), Guess::kEarlyCode).ok());
}

TEST_CASE("throttle, early: what cannot be guessed waits for the address alone",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  Codes(&throttle, 500, 20);
  clock.Advance(Throttle::kMostForAddress);
  for (int i = 0; i < Throttle::kFree; ++i) {
    CHECK(throttle.Try("ada", kNew, Guess::kEarlyProof).ok());
  }
  CHECK(Refused(throttle.Try("ada", kNew, Guess::kEarlyProof)));
  CHECK(throttle.Try("ada", Elsewhere(0), Guess::kEarlyProof).ok());
}

TEST_CASE("throttle, early: at home nobody elsewhere shuts a door",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  Codes(&throttle, 500, 20);
  for (int i = 0; i < Throttle::kFree; ++i) {
    CHECK(throttle.Try("ada", kHome, Guess::kEarlyCode).ok());
  }
  CHECK(Refused(throttle.Try("ada", kHome, Guess::kEarlyProof)));
  // And what was shut there is open again soon, and no door of the others.
  CHECK(throttle.Try("ada", kHome, Guess::kFactor).ok());
  CHECK(throttle.Try("ada", kHome).ok());
  clock.Advance(Throttle::kMostForKnown);
  CHECK(throttle.Try("ada", kHome, Guess::kEarlyCode).ok());
}

TEST_CASE("throttle, early: wrong codes shut no other door of the account",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  Codes(&throttle, 500, 20);
  CHECK(throttle.Try("ada", kNew).ok());
  CHECK(throttle.Try("ada", kNew, Guess::kFactor).ok());
  CHECK(throttle.Try("ada", kNew, Guess::kProved).ok());
}

TEST_CASE("throttle, early: a right code is given back to all of its doors",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < 2 * Throttle::kFreeCodes; ++i) {
    REQUIRE(throttle.Try("ada", kNew, Guess::kEarlyCode).ok());
    throttle.GiveBack("ada", kNew, Guess::kEarlyCode);
  }
  CHECK(throttle.Try("ada", kNew).ok());
}

TEST_CASE("throttle, early: after a right factor a few passwords a window",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  Exhaust(&throttle, "ada");
  for (int i = 0; i < kGuesses.from_known; ++i) {
    CHECK(throttle.Try("ada", Elsewhere(i), Guess::kProved).ok());
  }
  CHECK(Refused(throttle.Try("ADA@example.org", kNew, Guess::kProved)));
  throttle.GiveBack("ada", kNew, Guess::kProved);
  CHECK(throttle.Try("ada", kNew, Guess::kProved).ok());
  clock.Advance(kGuesses.window);
  CHECK(throttle.Try("ada", kNew, Guess::kProved).ok());
}

TEST_CASE("throttle, early: a name that nobody has is counted alike",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  for (int i = 0; i < 2000; ++i) {
    const std::string from = Elsewhere(i % 250);
    CHECK(throttle.Try("ada", from, Guess::kEarlyCode) ==
          throttle.Try("nobody", from, Guess::kEarlyCode));
  }
}

TEST_CASE("throttle, early: counts outlive a restart", "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  {
    Throttle throttle(&clock);
    Codes(&throttle, 500, 20);
    while (throttle.Try("ada", kNew, Guess::kProved).ok()) continue;
    REQUIRE(throttle.Save(database.get()).ok());
  }
  Throttle again(&clock);
  REQUIRE(again.Load(database.get()).ok());
  clock.Advance(absl::Minutes(2));
  CHECK(Refused(again.Try("ada", Elsewhere(0), Guess::kEarlyCode)));
  CHECK(Refused(again.Try("ada", kNew, Guess::kProved)));
}

}  // namespace
}  // namespace carme::backend
