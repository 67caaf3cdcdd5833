// Second factors that are shown before the password, and the passwords that
// come after a right one, as the throttle counts them.
#include <catch2/catch.hpp>
#include <string>

#include "backend/identity/login/login_throttle.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kHome[] = "192.0.2.1";
constexpr char kNew[] = "192.0.2.77";
const LoginThrottleConfig kGuesses;

std::string Elsewhere(int i) {
  return "198.51." + std::to_string(i / 250) + "." + std::to_string(i % 250);
}

bool Refused(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

void LogIn(LoginThrottle* throttle, const std::string& account,
           const std::string& address) {
  REQUIRE_THAT(throttle->Try(account, address, Guess::kFactor), IsOk());
  throttle->RecordSuccess(account, address);
}

// How many codes for ada are looked at when each of so many addresses sends so
// many.
int Codes(LoginThrottle* throttle, int addresses, int each) {
  int looked_at = 0;
  for (int i = 0; i < addresses * each; ++i) {
    looked_at +=
        throttle->Try("ada", Elsewhere(i % addresses), Guess::kCodeFirst).ok();
  }
  return looked_at;
}

// Uses up what strangers have of an account's passwords.
void Exhaust(LoginThrottle* throttle, const std::string& account) {
  for (int i = 0; i < 4; ++i) {
    throttle->Try(account, Elsewhere(i)).IgnoreError();
  }
}

TEST_CASE("throttle, early: reports when a factor helps and when not",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  Exhaust(&throttle, "ada");
  const absl::Status refused = throttle.Try("ada", kNew);
  CHECK(Refused(refused));
  CHECK(FactorFirstWait(refused) == kGuesses.window);
  clock.Advance(absl::Minutes(1));
  CHECK(FactorFirstWait(throttle.Try("ada", kNew)) ==
        kGuesses.window - absl::Minutes(1));
  // An address that has to wait, has to.
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    REQUIRE_THAT(throttle.Try("", kNew), IsOk());
  }
  const absl::Status waits = throttle.Try("ada", kNew);
  CHECK(waits.message() == "too many failed logins; try again in 1 s");
  CHECK(FactorFirstWait(waits) == std::nullopt);
  CHECK(FactorFirstWait(absl::OkStatus()) == std::nullopt);
}

TEST_CASE("throttle, early: at home too, when the share there is used up",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  for (int i = 0; i < kGuesses.known_address_attempts; ++i) {
    REQUIRE(FactorFirstWait(throttle.Try("ada", kHome)) == std::nullopt);
  }
  CHECK(FactorFirstWait(throttle.Try("ada", kHome)) == kGuesses.window);
  CHECK_THAT(throttle.Try("ada", kHome, Guess::kCodeFirst), IsOk());
}

TEST_CASE("throttle, early: codes are bounded at each address", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  CHECK(Codes(&throttle, 1, 1000) == LoginThrottle::kFreeFailures);
  // A day of one address that asks every second.
  int looked_at = 0;
  for (int second = 0; second < 24 * 60 * 60; ++second) {
    looked_at += throttle.Try("ada", kNew, Guess::kCodeFirst).ok();
    clock.Advance(absl::Seconds(1));
  }
  CHECK(looked_at < 50);
}

TEST_CASE("throttle, early: codes are bounded in total, and keep no owner out",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  const int max =
      LoginThrottle::kFreeCodes + 500 * LoginThrottle::kFreeCodesPerAddress;
  CHECK(Codes(&throttle, 500, 20) <= max);
  // The strangers' addresses wait for a day now.
  CHECK(throttle.Try("ada", Elsewhere(0), Guess::kCodeFirst).message() ==
        "too many failed logins; try again in 24 hours");
  clock.Advance(absl::Hours(23));
  CHECK(Codes(&throttle, 500, 20) == 0);
  CHECK(throttle.Try("ada", Elsewhere(0), Guess::kCodeFirst).message() ==
        "too many failed logins; try again in 60 minutes");
  // The owner's new one does not, nor does another name at a stranger's.
  for (int i = 0; i < LoginThrottle::kFreeCodesPerAddress; ++i) {
    CHECK_THAT(throttle.Try("ada", kNew, Guess::kCodeFirst), IsOk());
  }
  CHECK_THAT(throttle.Try("bob", Elsewhere(0), Guess::kCodeFirst), IsOk());
}

TEST_CASE("throttle, early: passkeys are limited by address only",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  Codes(&throttle, 500, 20);
  clock.Advance(LoginThrottle::kMaxForAddress);
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    CHECK_THAT(throttle.Try("ada", kNew, Guess::kProofFirst), IsOk());
  }
  CHECK(Refused(throttle.Try("ada", kNew, Guess::kProofFirst)));
  CHECK_THAT(throttle.Try("ada", Elsewhere(0), Guess::kProofFirst), IsOk());
}

TEST_CASE("throttle, early: other addresses do not lock a known one",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  Codes(&throttle, 500, 20);
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    CHECK_THAT(throttle.Try("ada", kHome, Guess::kCodeFirst), IsOk());
  }
  CHECK(Refused(throttle.Try("ada", kHome, Guess::kProofFirst)));
  // And what was shut there is open again soon, and no door of the others.
  CHECK_THAT(throttle.Try("ada", kHome, Guess::kFactor), IsOk());
  CHECK_THAT(throttle.Try("ada", kHome), IsOk());
  clock.Advance(LoginThrottle::kMaxForKnownAddress);
  CHECK_THAT(throttle.Try("ada", kHome, Guess::kCodeFirst), IsOk());
}

TEST_CASE("throttle, early: wrong codes shut no other door of the account",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  Codes(&throttle, 500, 20);
  CHECK_THAT(throttle.Try("ada", kNew), IsOk());
  CHECK_THAT(throttle.Try("ada", kNew, Guess::kFactor), IsOk());
  CHECK_THAT(throttle.Try("ada", kNew, Guess::kPasswordAfterFactor), IsOk());
}

TEST_CASE("throttle, early: a correct code is refunded to all counters",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  for (int i = 0; i < 2 * LoginThrottle::kFreeCodes; ++i) {
    REQUIRE_THAT(throttle.Try("ada", kNew, Guess::kCodeFirst), IsOk());
    throttle.Refund("ada", kNew, Guess::kCodeFirst);
  }
  CHECK_THAT(throttle.Try("ada", kNew), IsOk());
}

TEST_CASE("throttle, early: after a right factor a few passwords a window",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  Exhaust(&throttle, "ada");
  for (int i = 0; i < kGuesses.known_address_attempts; ++i) {
    CHECK_THAT(throttle.Try("ada", Elsewhere(i), Guess::kPasswordAfterFactor),
               IsOk());
  }
  CHECK(Refused(
      throttle.Try("ADA@example.org", kNew, Guess::kPasswordAfterFactor)));
  throttle.Refund("ada", kNew, Guess::kPasswordAfterFactor);
  CHECK_THAT(throttle.Try("ada", kNew, Guess::kPasswordAfterFactor), IsOk());
  clock.Advance(kGuesses.window);
  CHECK_THAT(throttle.Try("ada", kNew, Guess::kPasswordAfterFactor), IsOk());
}

TEST_CASE("throttle, early: counts an unknown name in the same way",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  for (int i = 0; i < 2000; ++i) {
    const std::string from = Elsewhere(i % 250);
    CHECK(throttle.Try("ada", from, Guess::kCodeFirst) ==
          throttle.Try("nobody", from, Guess::kCodeFirst));
  }
}

TEST_CASE("throttle, early: counts outlive a restart", "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  {
    LoginThrottle throttle(&clock);
    Codes(&throttle, 500, 20);
    while (throttle.Try("ada", kNew, Guess::kPasswordAfterFactor).ok())
      continue;
    REQUIRE_THAT(throttle.Save(database.get()), IsOk());
  }
  LoginThrottle again(&clock);
  REQUIRE_THAT(again.Load(database.get()), IsOk());
  clock.Advance(absl::Minutes(2));
  CHECK(Refused(again.Try("ada", Elsewhere(0), Guess::kCodeFirst)));
  CHECK(Refused(again.Try("ada", kNew, Guess::kPasswordAfterFactor)));
}

}  // namespace
}  // namespace carme::backend
