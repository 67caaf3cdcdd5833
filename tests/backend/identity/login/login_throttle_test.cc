#include "backend/identity/login/login_throttle.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kHome[] = "192.0.2.1";
constexpr char kNew[] = "192.0.2.77";
const LoginThrottleConfig kGuesses;

// Another address each time.
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

// How many of so many guesses at ada's password are evaluated, each from
// another of so many addresses.
int Guesses(LoginThrottle* throttle, int count, int addresses) {
  int evaluated = 0;
  for (int i = 0; i < count; ++i) {
    evaluated += throttle->Try("ada", Elsewhere(i % addresses)).ok();
  }
  return evaluated;
}

TEST_CASE("throttle: unknown addresses have three attempts in a window",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  // Any window of the length, wherever it begins, over a day.
  std::vector<absl::Time> evaluated;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    for (int i = Guesses(&throttle, 100, 100); i > 0; --i) {
      evaluated.push_back(clock.Now());
    }
    clock.Advance(absl::Minutes(1));
  }
  for (size_t i = 3; i < evaluated.size(); ++i) {
    CHECK(evaluated[i] - evaluated[i - 3] >= kGuesses.window);
  }
  CHECK(evaluated.size() == 3 * 48);
}

TEST_CASE("throttle: guesses that come and go do not add up over a window",
          "[backend]") {
  for (const int pause_min : {1, 7, 14, 15, 16, 29, 30, 31}) {
    INFO(pause_min);
    FakeClock clock;
    LoginThrottle throttle(&clock);
    std::vector<absl::Time> evaluated;
    for (int i = 0; i < 300; ++i) {
      if (throttle.Try("ada", Elsewhere(i)).ok()) {
        evaluated.push_back(clock.Now());
      }
      clock.Advance(absl::Minutes(pause_min));
    }
    for (size_t i = 3; i < evaluated.size(); ++i) {
      CHECK(evaluated[i] - evaluated[i - 3] >= kGuesses.window);
    }
  }
}

TEST_CASE("throttle: number and window are configured", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock, {.unknown_address_attempts = 5,
                                  .known_address_attempts = 2,
                                  .window = absl::Hours(24)});
  LogIn(&throttle, "ada", kHome);
  CHECK(Guesses(&throttle, 100, 100) == 5);
  for (int i = 0; i < 2; ++i) CHECK_THAT(throttle.Try("ada", kHome), IsOk());
  CHECK(Refused(throttle.Try("ada", kHome)));
  clock.Advance(absl::Hours(24) - absl::Seconds(1));
  CHECK(Guesses(&throttle, 100, 100) == 0);
  CHECK(throttle.Try("ada", kNew).message() ==
        "too many failed logins; try again in 1 s");
  clock.Advance(absl::Seconds(1));
  CHECK_THAT(throttle.Try("ada", kNew), IsOk());
}

TEST_CASE("throttle: one place is an address's that has hardly failed lately",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  CHECK(Guesses(&throttle, 1000, 1) == 2);
  CHECK(throttle.Try("ada", Elsewhere(0)).message() ==
        "too many failed logins; try again in 30 minutes");
  CHECK_THAT(throttle.Try("ada", kNew), IsOk());
  // What was right is given back, and the next newcomer has the place.
  throttle.Refund("ada", kNew);
  CHECK(Refused(throttle.Try("ada", Elsewhere(0))));
  CHECK_THAT(throttle.Try("ada", "192.0.2.78"), IsOk());
  CHECK(Refused(throttle.Try("ada", kNew)));
}

TEST_CASE("throttle: an address that failed with other names is not new",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  CHECK(Guesses(&throttle, 1000, 1) == 2);
  for (int i = 0; i < LoginThrottle::kMaxFailuresOfNewAddress; ++i) {
    REQUIRE_THAT(throttle.Try("user" + std::to_string(i), kNew), IsOk());
  }
  CHECK(Refused(throttle.Try("ada", kNew)));
}

TEST_CASE("throttle: a known address has its own attempts", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  CHECK(Guesses(&throttle, 1000, 100) == 3);
  for (int i = 0; i < kGuesses.known_address_attempts; ++i) {
    CHECK_THAT(throttle.Try("ada", kHome), IsOk());
  }
  CHECK(Refused(throttle.Try("ada", kHome)));
  CHECK(Refused(throttle.Try("bob", Elsewhere(0))) == false);
  // A right password forgets no wrong one: others may be on their way.
  clock.Advance(kGuesses.window);
  CHECK(Guesses(&throttle, 1000, 100) == 3);
  REQUIRE_THAT(throttle.Try("ada", kHome), IsOk());
  throttle.Refund("ada", kHome);
  LogIn(&throttle, "ada", kHome);
  CHECK(Guesses(&throttle, 1000, 100) == 0);
}

TEST_CASE("throttle: guesses from a known address do not lock its owner",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    REQUIRE_THAT(throttle.Try("user" + std::to_string(i), kHome), IsOk());
  }
  CHECK(Refused(throttle.Try("bob", kHome)));
  CHECK_THAT(throttle.Try("ada", kHome), IsOk());
}

TEST_CASE("throttle: counts an unknown name in the same way", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  for (int i = 0; i < 20; ++i) {
    const std::string from = Elsewhere(i);
    CHECK(throttle.Try("ada", from) == throttle.Try("nobody", from));
  }
}

TEST_CASE("throttle: another spelling is the same account", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  REQUIRE_THAT(throttle.Try("ada", Elsewhere(0)), IsOk());
  REQUIRE_THAT(throttle.Try("ADA@example.org", Elsewhere(1)), IsOk());
  REQUIRE_THAT(throttle.Try("ada@EXAMPLE.org", Elsewhere(2)), IsOk());
  CHECK(Refused(throttle.Try("aDa", Elsewhere(3))));
  CHECK(Refused(throttle.Try("ada@", Elsewhere(4))));
}

TEST_CASE("throttle: a known address counts for the typed name only",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  CHECK(throttle.IsKnownAddress("ADA", kHome));
  CHECK_FALSE(throttle.IsKnownAddress("ada@example.org", kHome));
  CHECK_FALSE(throttle.IsKnownAddress("ada", kNew));
  CHECK_FALSE(throttle.IsKnownAddress("", kHome));
  throttle.AddKnownAddress("ada@example.org", kHome);
  CHECK(throttle.IsKnownAddress("ada@example.org", kHome));
  CHECK_FALSE(throttle.IsKnownAddress("ada@example.com", kHome));
}

TEST_CASE("throttle: an account has its sixteen newest habits", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "bob", kHome);
  for (size_t i = 0; i <= LoginThrottle::kMaxKnownAddressesPerAccount; ++i) {
    clock.Advance(absl::Seconds(1));
    LogIn(&throttle, "ada", Elsewhere(static_cast<int>(i)));
  }
  CHECK_FALSE(throttle.IsKnownAddress("ada", Elsewhere(0)));
  CHECK(throttle.IsKnownAddress("ada", Elsewhere(1)));
  CHECK(throttle.IsKnownAddress("ada", Elsewhere(16)));
  CHECK(throttle.IsKnownAddress("bob", kHome));
  clock.Advance(LoginThrottle::kKnownAddressRetention);
  CHECK_FALSE(throttle.IsKnownAddress("bob", kHome));
}

TEST_CASE("throttle: an address waits after ten failures of any accounts",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    REQUIRE_THAT(throttle.Try("user" + std::to_string(i), kHome), IsOk());
  }
  CHECK(Refused(throttle.Try("ada", kHome)));
  CHECK(Refused(throttle.Try("", kHome)));
  CHECK_THAT(throttle.Try("ada", "192.0.2.2"), IsOk());
}

TEST_CASE("throttle: the wait doubles, up to a bound", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    REQUIRE_THAT(throttle.Try("", kHome), IsOk());
  }
  for (const int expected : {1, 2, 4, 8, 16, 32, 60, 60}) {
    // A refused try is not counted.
    for (int i = 0; i < 1000; ++i) throttle.Try("", kHome).IgnoreError();
    clock.Advance(absl::Seconds(expected) - absl::Milliseconds(1));
    CHECK(Refused(throttle.Try("", kHome)));
    clock.Advance(absl::Milliseconds(1));
    CHECK_THAT(throttle.Try("", kHome), IsOk());
  }
}

TEST_CASE("throttle: factors have their own counters", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "ada", kHome);
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    REQUIRE_THAT(throttle.Try("ada", Elsewhere(i), Guess::kFactor), IsOk());
  }
  CHECK(Refused(throttle.Try("ada", Elsewhere(99), Guess::kFactor)));
  CHECK_THAT(throttle.Try("ada", Elsewhere(99)), IsOk());
  CHECK(Guesses(&throttle, 100, 100) == 2);
  // Neither shuts the owner's, nor do their own wrong passwords.
  while (throttle.Try("ada", kHome).ok()) continue;
  CHECK_THAT(throttle.Try("ada", kHome, Guess::kFactor), IsOk());
}

TEST_CASE("throttle: a correct factor resets the account's failures",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  for (int i = 0; i < LoginThrottle::kFreeFailures - 1; ++i) {
    REQUIRE_THAT(throttle.Try("ada", kHome, Guess::kFactor), IsOk());
  }
  LogIn(&throttle, "ada", kHome);
  REQUIRE_THAT(throttle.Try("eve", kHome), IsOk());  // the address's tenth
  CHECK(Refused(throttle.Try("eve", kHome)));
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    CHECK_THAT(throttle.Try("ada", Elsewhere(i), Guess::kFactor), IsOk());
  }
}

TEST_CASE("throttle: refunds attempts that did not fail", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  for (int i = 0; i < 100; ++i) {
    REQUIRE_THAT(throttle.Try("ada", kHome), IsOk());
    throttle.Refund("ada", kHome);
  }
}

}  // namespace
}  // namespace carme::backend
