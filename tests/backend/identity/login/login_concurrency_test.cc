#include "backend/identity/login/login_concurrency.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

// Holds all acquired slots until its destruction.
struct Slots {
  LoginConcurrency limiter;
  std::vector<std::unique_ptr<LoginConcurrency::Slot>> taken;

  bool Acquire(const LoginAttempt& attempt) {
    taken.push_back(
        std::make_unique<LoginConcurrency::Slot>(&limiter, attempt));
    return taken.back()->acquired();
  }
  int AcquireUnauthenticated(int count) {
    int acquired = 0;
    for (int i = 0; i < count; ++i) {
      acquired += Acquire({.address = "198.51.100." + std::to_string(i)});
    }
    return acquired;
  }
};

TEST_CASE("login concurrency: limits unauthenticated clients to three quarters",
          "[backend]") {
  Slots slots;
  CHECK(slots.AcquireUnauthenticated(200) ==
        LoginConcurrency::kMaxUnauthenticated);
  CHECK(slots.Acquire(
      {.account = "ada", .known_address = true, .address = "::1"}));
  CHECK(slots.Acquire(
      {.account = "ada", .known_address = false, .address = "::2"}));
  slots.taken.erase(slots.taken.begin());
  CHECK(slots.Acquire({.address = "192.0.2.1"}));
  CHECK_FALSE(slots.Acquire({.address = "192.0.2.2"}));
}

TEST_CASE("login concurrency: limits an unauthenticated address to a quarter",
          "[backend]") {
  Slots slots;
  int acquired = 0;
  for (int i = 0; i < 100; ++i) {
    acquired += slots.Acquire({.address = "2001:db8::" + std::to_string(i)});
  }
  CHECK(acquired == LoginConcurrency::kMaxPerAddress);
  CHECK(slots.Acquire({.address = "2001:db8:0:1::1"}));
}

TEST_CASE(
    "login concurrency: a stolen password does not use up the slots of the "
    "owner",
    "[backend]") {
  Slots slots;
  int acquired = 0;
  for (int i = 0; i < 100; ++i) {
    acquired += slots.Acquire({.account = "ada",
                               .known_address = false,
                               .address = "198.51.100." + std::to_string(i)});
  }
  CHECK(acquired == LoginConcurrency::kMaxPerAccount);
  CHECK(slots.Acquire(
      {.account = "ada", .known_address = true, .address = "::1"}));
  CHECK(slots.Acquire(
      {.account = "bob", .known_address = false, .address = "::1"}));
}

TEST_CASE("login concurrency: limits the total", "[backend]") {
  Slots slots;
  int acquired = 0;
  for (int i = 0; i < 100; ++i) {
    acquired += slots.Acquire({.account = "user" + std::to_string(i),
                               .known_address = true,
                               .address = ""});
  }
  CHECK(acquired == LoginConcurrency::kMaxSlots);
  slots.taken.clear();
  CHECK(slots.AcquireUnauthenticated(100) ==
        LoginConcurrency::kMaxUnauthenticated);
}

}  // namespace
}  // namespace carme::backend
