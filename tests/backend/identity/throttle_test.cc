#include "backend/identity/throttle.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/fake_clock.h"

namespace carme {
namespace {

constexpr char kHome[] = "192.0.2.1";

// Another address each time, so that only the account counts.
std::string Elsewhere(int i) {
  return "198.51." + std::to_string(i / 250) + "." + std::to_string(i % 250);
}

bool Refused(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

// An address from which somebody else has failed, so that it is no newcomer.
constexpr char kOld[] = "203.0.113.1";
void FailTwice(Throttle* throttle, const std::string& address) {
  for (int i = 0; i < Throttle::kNewcomersTries; ++i) {
    REQUIRE(throttle->Try("somebody " + address, address).ok());
  }
}

// Seconds until a try of ada's passes; the failures are spread over addresses.
int SecondsClosed(FakeClock* clock, Throttle* throttle, int address) {
  FailTwice(throttle, Elsewhere(address));
  for (int waited = 0; waited < 200; ++waited) {
    if (throttle->Try("ada", Elsewhere(address)).ok()) return waited;
    clock->Advance(absl::Seconds(1));
  }
  return -1;
}

TEST_CASE("throttle: after ten failures an account waits", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", Elsewhere(i)).ok());
  }
  FailTwice(&throttle, kOld);
  const absl::Status slow = throttle.Try("ada", kOld);
  CHECK(Refused(slow));
  CHECK(slow.message() == "too many failed log-ins: try again in 1 s");
  CHECK(throttle.Try("bob", kOld).ok());
}

TEST_CASE("throttle: after ten failures an address waits, whoever it tries",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("user" + std::to_string(i), kHome).ok());
  }
  CHECK(Refused(throttle.Try("ada", kHome)));
  CHECK(Refused(throttle.Try("", kHome)));
  CHECK(throttle.Try("ada", "192.0.2.2").ok());
}

TEST_CASE("throttle: another spelling is the same account", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try(i % 2 == 0 ? "ada" : "ADA", Elsewhere(i)).ok());
  }
  FailTwice(&throttle, kOld);
  CHECK(Refused(throttle.Try("aDa", kOld)));
}

TEST_CASE("throttle: another address of one IPv6 network is the same client",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle
                .Try("user" + std::to_string(i),
                     "2001:db8::" + std::to_string(i + 1))
                .ok());
  }
  CHECK(Refused(throttle.Try("ada", "2001:db8::ffff")));
  CHECK(throttle.Try("ada", "2001:db8:0:1::1").ok());
  CHECK(ThrottledAddress("::ffff:192.0.2.1") == "192.0.2.1");
  CHECK(ThrottledAddress("2001:db8:0:1:2:3:4:5") == "2001:db8:0:1::/64");
  CHECK(ThrottledAddress("192.0.2.1") == "192.0.2.1");
  CHECK(ThrottledAddress("") == "");
}

TEST_CASE("throttle: the wait doubles, up to a bound", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", Elsewhere(i)).ok());
  }
  int address = 100;
  for (const int expected : {1, 2, 4, 8, 16, 32, 60, 60}) {
    CHECK(SecondsClosed(&clock, &throttle, ++address) == expected);
  }
}

TEST_CASE("throttle: a refused try is not counted", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", Elsewhere(i)).ok());
  }
  FailTwice(&throttle, kOld);
  for (int i = 0; i < 1000; ++i) throttle.Try("ada", kOld).IgnoreError();
  clock.Advance(absl::Seconds(1));
  CHECK(throttle.Try("ada", kOld).ok());
}

TEST_CASE("throttle: guesses from elsewhere do not slow a known address",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  REQUIRE(throttle.Try("ada", kHome, Guess::kFactor).ok());
  throttle.Succeed("ada", kHome);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", Elsewhere(i)).ok());
  }
  FailTwice(&throttle, kOld);
  CHECK(Refused(throttle.Try("ada", kOld)));
  CHECK(throttle.Try("ada", kHome).ok());
}

TEST_CASE(
    "throttle: guesses from the owner's own address close nothing of theirs",
    "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  REQUIRE(throttle.Try("ada", kHome, Guess::kFactor).ok());
  throttle.Succeed("ada", kHome);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("user" + std::to_string(i), kHome).ok());
  }
  CHECK(Refused(throttle.Try("bob", kHome)));
  CHECK(throttle.Try("ada", kHome).ok());
}

TEST_CASE("throttle: who polls a shut account keeps no newcomer out",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  // An attacker with a hundred addresses, who guesses whenever he may.
  const auto guess = [&] {
    int evaluated = 0;
    for (int i = 0; i < 100; ++i)
      evaluated += throttle.Try("ada", Elsewhere(i)).ok();
    return evaluated;
  };
  int evaluated = 0;
  for (int second = 0; second < 3600; ++second) {
    evaluated += guess();
    clock.Advance(absl::Seconds(1));
  }
  INFO(evaluated);
  CHECK(evaluated < 300);  // of 360,000
  // The owner, somewhere new, is in within the newcomers' bound.
  int waited = 0;
  while (!throttle.Try("ada", "192.0.2.77").ok()) {
    guess();
    clock.Advance(absl::Seconds(1));
    REQUIRE(++waited <= 10);
  }
  throttle.GiveBack("ada", "192.0.2.77");
  // And the password guesses have closed nothing of the second step.
  CHECK(throttle.Try("ada", "192.0.2.77", Guess::kFactor).ok());
}

TEST_CASE("throttle: many networks of one IPv6 /48 are one client",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  int evaluated = 0;
  for (int i = 0; i < 1000; ++i) {
    evaluated += throttle
                     .Try("user" + std::to_string(i),
                          "2001:db8:1:" + std::to_string(i) + "::1")
                     .ok();
  }
  CHECK(evaluated == Throttle::kFreeInNetwork);
  CHECK(throttle.Try("ada", "2001:db8:2::1").ok());
}

TEST_CASE("throttle: factors have a door of their own", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", Elsewhere(i), Guess::kFactor).ok());
  }
  CHECK(Refused(throttle.Try("ada", Elsewhere(99), Guess::kFactor)));
  CHECK(throttle.Try("ada", Elsewhere(99)).ok());
}

TEST_CASE("throttle: counts and habits outlive a restart", "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  {
    Throttle throttle(&clock);
    REQUIRE(throttle.Load(database.get()).ok());
    REQUIRE(throttle.Try("bob", kHome, Guess::kFactor).ok());
    throttle.Succeed("bob", kHome);
    for (int i = 0; i < Throttle::kFree; ++i) {
      REQUIRE(throttle.Try("ada", Elsewhere(i)).ok());
      REQUIRE(throttle.Try("bob", Elsewhere(i)).ok());
    }
    FailTwice(&throttle, kOld);
    REQUIRE(throttle.Save(database.get()).ok());
    REQUIRE(throttle.Save(database.get()).ok());  // nothing is new
  }
  Throttle throttle(&clock);
  REQUIRE(throttle.Load(database.get()).ok());
  CHECK(Refused(throttle.Try("ada", kOld)));
  CHECK(Refused(throttle.Try("bob", kOld)));
  CHECK(throttle.Try("bob", kHome).ok());
}

TEST_CASE("throttle: a flood of names fills the disk no further than a table",
          "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  Throttle throttle(&clock);
  for (size_t i = 0; i < Throttle::kMostEntries + 500; ++i) {
    throttle.Try("user" + std::to_string(i), "10.0.0." + std::to_string(i))
        .IgnoreError();
    clock.Advance(absl::Milliseconds(1));
    if (i % 1000 == 0) REQUIRE(throttle.Save(database.get()).ok());
  }
  REQUIRE(throttle.Save(database.get()).ok());
  REQUIRE(database
              ->Query([&](Database& db) -> absl::Status {
                auto count = db.Prepare(
                    "SELECT max(n) FROM (SELECT count(*) "
                    "AS n FROM failures GROUP BY kind)");
                REQUIRE(count->Step().ok());
                CHECK(count->Int(0) ==
                      static_cast<int64_t>(Throttle::kMostEntries));
                return absl::OkStatus();
              })
              .ok());
}

TEST_CASE("throttle: what the disk did not take is written later",
          "[backend]") {
  FakeClock clock;
  auto broken = Database::Open(":memory:", {}).value();  // no table
  auto database = Database::Open(":memory:", Migrations()).value();
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", kHome).ok());
  }
  CHECK_FALSE(throttle.Save(broken.get()).ok());
  REQUIRE(throttle.Save(database.get()).ok());
  Throttle later(&clock);
  REQUIRE(later.Load(database.get()).ok());
  CHECK(Refused(later.Try("ada", kHome)));
}

TEST_CASE("throttle: success forgets the account's failures, not the address's",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree - 1; ++i) {
    REQUIRE(throttle.Try("ada", kHome).ok());
    throttle.GiveBack("ada", kHome);
    REQUIRE(throttle.Try("ada", kHome).ok());
  }
  REQUIRE(throttle.Try("ada", kHome, Guess::kFactor).ok());
  throttle.Succeed("ada", kHome);
  REQUIRE(throttle.Try("eve", kHome).ok());  // the address's tenth
  CHECK(Refused(throttle.Try("eve", kHome)));
  for (int i = 0; i < Throttle::kFree; ++i) {
    CHECK(throttle.Try("ada", Elsewhere(i)).ok());
  }
}

TEST_CASE("throttle: what was no failure is given back", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(throttle.Try("ada", kHome).ok());
    throttle.GiveBack("ada", kHome);
  }
}

TEST_CASE("throttle: a day without failures forgets them", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", kHome).ok());
  }
  clock.Advance(Throttle::kMemory);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", kHome).ok());
  }
  CHECK(Refused(throttle.Try("ada", kHome)));
}

TEST_CASE(
    "throttle: full tables forget what is oldest, but not who is shut out",
    "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", kHome).ok());
    if (i > 0) REQUIRE(throttle.Try("bob", "192.0.2.2").ok());
  }
  clock.Advance(absl::Milliseconds(1));
  for (size_t i = 0; i < Throttle::kMostEntries; ++i) {
    throttle.Try("user" + std::to_string(i), "10.0.0." + std::to_string(i))
        .IgnoreError();
  }
  CHECK(Refused(throttle.Try("ada", kHome)));
  for (int i = 0; i < Throttle::kFree; ++i) {
    CHECK(throttle.Try("bob", "192.0.2.2").ok());
  }
}

}  // namespace
}  // namespace carme
