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

// Seconds until a try of ada's passes; the failures are spread over addresses.
int SecondsClosed(FakeClock* clock, Throttle* throttle, int address) {
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
  const absl::Status slow = throttle.Try("ada", Elsewhere(99));
  CHECK(Refused(slow));
  CHECK(slow.message() == "too many failed log-ins: try again in 1 s");
  CHECK(throttle.Try("bob", Elsewhere(99)).ok());
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
  CHECK(Refused(throttle.Try("aDa", Elsewhere(99))));
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
  for (const int expected : {1, 2, 4, 8, 16, 30, 30, 30}) {
    CHECK(SecondsClosed(&clock, &throttle, 100 + expected) == expected);
  }
}

TEST_CASE("throttle: a refused try is not counted", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", Elsewhere(i)).ok());
  }
  for (int i = 0; i < 1000; ++i) throttle.Try("ada", kHome).IgnoreError();
  clock.Advance(absl::Seconds(1));
  CHECK(throttle.Try("ada", kHome).ok());
}

TEST_CASE("throttle: guesses from elsewhere do not slow a known address",
          "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  REQUIRE(throttle.Try("ada", kHome).ok());
  throttle.Succeed("ada", kHome);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", Elsewhere(i)).ok());
  }
  CHECK(Refused(throttle.Try("ada", Elsewhere(99))));
  CHECK(throttle.Try("ada", kHome).ok());
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
  REQUIRE(throttle.Try("bob", kHome).ok());
  throttle.Succeed("bob", kHome);
  REQUIRE(throttle.Try("bob", kHome).ok());  // the address's tenth
  CHECK(Refused(throttle.Try("bob", kHome)));
  for (int i = 0; i < Throttle::kFree; ++i) {
    CHECK(throttle.Try("bob", Elsewhere(i)).ok());
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

TEST_CASE("throttle: an hour without failures forgets them", "[backend]") {
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

TEST_CASE("throttle: full tables forget what is oldest", "[backend]") {
  FakeClock clock;
  Throttle throttle(&clock);
  for (int i = 0; i < Throttle::kFree; ++i) {
    REQUIRE(throttle.Try("ada", kHome).ok());
  }
  clock.Advance(absl::Milliseconds(1));
  for (size_t i = 0; i < Throttle::kMostEntries; ++i) {
    throttle.Try("user" + std::to_string(i), "10.0.0." + std::to_string(i))
        .IgnoreError();
  }
  CHECK(throttle.Try("ada", kHome).ok());
}

}  // namespace
}  // namespace carme
