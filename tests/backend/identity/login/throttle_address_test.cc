// Which addresses the throttle counts as one client.
#include "backend/identity/login/throttle_address.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "backend/identity/login/login_throttle.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using Networks = std::array<std::string, 3>;

bool Refused(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

// The i-th /64 of 2001:db8::/32, and so on into the /31.
std::string Ipv6(uint32_t i) {
  char text[64];
  std::snprintf(text, sizeof text, "2001:db8:%x:%x::1", i >> 16, i & 0xffff);
  return text;
}

// How many of so many tries pass, each with another name from another /64,
// `step` apart.
int Passed(LoginThrottle* throttle, uint32_t count, uint32_t step = 1) {
  int passed = 0;
  for (uint32_t i = 0; i < count; ++i) {
    passed += throttle->Try("user" + std::to_string(i), Ipv6(i * step)).ok();
  }
  return passed;
}

TEST_CASE("throttled address: all of IPv4, and a /64 of IPv6", "[backend]") {
  CHECK(ThrottledAddress("::ffff:192.0.2.1") == "192.0.2.1");
  CHECK(ThrottledAddress("2001:db8:0:1:2:3:4:5") == "2001:db8:0:1::/64");
  CHECK(ThrottledAddress("192.0.2.1") == "192.0.2.1");
  CHECK(ThrottledAddress("") == "");
}

TEST_CASE("throttled address: the networks around an IPv6 address",
          "[backend]") {
  CHECK(ThrottledNetworks("2001:db8:aaaa:bbcc:1::1") ==
        Networks{"2001:db8:aaaa:bb00::/56", "2001:db8:aaaa::/48",
                 "2001:db8::/32"});
  CHECK(ThrottledNetworks("::ffff:192.0.2.1") == Networks());
  CHECK(ThrottledNetworks("192.0.2.1") == Networks());
  CHECK(ThrottledNetworks("no address") == Networks());
}

TEST_CASE("throttle: another address of one IPv6 /64 is the same client",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
    REQUIRE_THAT(throttle.Try("user" + std::to_string(i),
                              "2001:db8::" + std::to_string(i + 1)),
                 IsOk());
  }
  CHECK(Refused(throttle.Try("ada", "2001:db8::ffff")));
  CHECK_THAT(throttle.Try("ada", "2001:db8:0:1::1"), IsOk());
}

TEST_CASE("throttle: a /56, a /48, a /32 are one client each", "[backend]") {
  FakeClock clock;
  LoginThrottle home(&clock), site(&clock), provider(&clock);
  CHECK(Passed(&home, 256) == LoginThrottle::kFreeInPrefix56);
  CHECK_THAT(home.Try("ada", Ipv6(0x100)), IsOk());
  CHECK(Passed(&site, 0x10000) == LoginThrottle::kFreeInPrefix48);
  CHECK_THAT(site.Try("ada", Ipv6(0x10000)), IsOk());
  CHECK(Passed(&provider, 0x10000, 0x10000) == LoginThrottle::kFreeInPrefix32);
  CHECK_THAT(provider.Try("ada", "2001:db9::1"), IsOk());
}

TEST_CASE("throttle: a client with a whole /32 does not lock others out",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  REQUIRE_THAT(throttle.Try("ada", Ipv6(7), Guess::kFactor), IsOk());
  throttle.RecordSuccess("ada", Ipv6(7));
  // Strangers have used up what is theirs of bob.
  for (int i = 0; i < 4; ++i) {
    throttle.Try("bob", "192.0.2." + std::to_string(i)).IgnoreError();
  }
  int passed = 0;
  for (int minute = 0; minute < 10; ++minute) {
    passed += Passed(&throttle, 20000, 0x3001);
    clock.Advance(absl::Minutes(1));
  }
  INFO(passed);
  CHECK(passed < LoginThrottle::kFreeInPrefix32 + 20);  // of 200,000
  // It has not pushed bob's count out of the table, nor ada's habit; and other
  // networks have not waited for it.
  CHECK(Refused(throttle.Try("bob", "192.0.2.99")));
  CHECK_THAT(throttle.Try("ada", Ipv6(7)), IsOk());
  CHECK_THAT(throttle.Try("carol", "2001:db9::1"), IsOk());
  CHECK_THAT(throttle.Try("dave", "192.0.2.98"), IsOk());
}

}  // namespace
}  // namespace carme::backend
