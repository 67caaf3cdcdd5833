// What the throttle keeps, and how much of it.
#include <catch2/catch.hpp>
#include <string>

#include "backend/identity/login/login_throttle.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kHome[] = "192.0.2.1";

std::string Elsewhere(size_t i) {
  return "10." + std::to_string(i / 65536) + "." +
         std::to_string(i / 256 % 256) + "." + std::to_string(i % 256);
}

bool Refused(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

void LogIn(LoginThrottle* throttle, const std::string& account,
           const std::string& address) {
  REQUIRE_THAT(throttle->Try(account, address, Guess::kFactor), IsOk());
  throttle->RecordSuccess(account, address);
}

// Uses up what strangers have of an account.
void Exhaust(LoginThrottle* throttle, const std::string& account) {
  for (size_t i = 0; i < 4; ++i) {
    throttle->Try(account, Elsewhere(i)).IgnoreError();
  }
}

// The one number that a query gives.
int64_t Ask(Database* database, const std::string& query) {
  int64_t answer = -1;
  REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
    auto row = db.Prepare(query);
    REQUIRE(row->Step().ok());
    answer = row->Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  return answer;
}

TEST_CASE("throttle: counts and habits outlive a restart", "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  {
    LoginThrottle throttle(&clock);
    REQUIRE_THAT(throttle.Load(database.get()), IsOk());
    LogIn(&throttle, "bob", kHome);
    Exhaust(&throttle, "ada");
    Exhaust(&throttle, "bob");
    REQUIRE_THAT(throttle.Save(database.get()), IsOk());
    REQUIRE_THAT(throttle.Save(database.get()), IsOk());  // nothing is new
  }
  LoginThrottle throttle(&clock);
  REQUIRE_THAT(throttle.Load(database.get()), IsOk());
  CHECK(Refused(throttle.Try("ada", "192.0.2.9")));
  CHECK(Refused(throttle.Try("bob", "192.0.2.9")));
  CHECK_THAT(throttle.Try("bob", kHome), IsOk());
  CHECK(throttle.IsKnownAddress("bob", kHome));
}

TEST_CASE("throttle: the file contains neither names nor addresses",
          "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "bob", kHome);
  REQUIRE_THAT(throttle.Save(database.get()), IsOk());
  CHECK(Ask(database.get(), "SELECT count(*) FROM failures") == 1);
  CHECK(Ask(database.get(),
            "SELECT count(*) FROM failures WHERE key LIKE '%bob%' OR key LIKE "
            "'%192%'") == 0);
}

TEST_CASE("throttle: a flood of names fills the disk no further than a table",
          "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  LoginThrottle throttle(&clock);
  for (size_t i = 0; i < LoginThrottle::kMaxEntries + 500; ++i) {
    throttle.Try("user" + std::to_string(i), Elsewhere(i)).IgnoreError();
    clock.Advance(absl::Milliseconds(1));
    if (i % 1000 == 0) REQUIRE_THAT(throttle.Save(database.get()), IsOk());
  }
  REQUIRE_THAT(throttle.Save(database.get()), IsOk());
  CHECK(Ask(database.get(),
            "SELECT max(n) FROM (SELECT count(*) AS n FROM failures GROUP BY "
            "kind)") == static_cast<int64_t>(LoginThrottle::kMaxEntries));
}

TEST_CASE("throttle: one account's addresses displace no other's",
          "[backend]") {
  FakeClock clock;
  auto database = Database::Open(":memory:", Migrations()).value();
  LoginThrottle throttle(&clock);
  LogIn(&throttle, "bob", kHome);
  for (size_t i = 0; i < 1000; ++i) LogIn(&throttle, "ada", Elsewhere(i));
  CHECK(throttle.IsKnownAddress("bob", kHome));
  REQUIRE_THAT(throttle.Save(database.get()), IsOk());
  CHECK(Ask(database.get(),
            "SELECT count(*) FROM failures WHERE kind='known-address'") ==
        1 + static_cast<int64_t>(LoginThrottle::kMaxKnownAddressesPerAccount));
}

TEST_CASE("throttle: retries a failed write", "[backend]") {
  FakeClock clock;
  auto broken = Database::Open(":memory:", {}).value();  // no table
  auto database = Database::Open(":memory:", Migrations()).value();
  LoginThrottle throttle(&clock);
  Exhaust(&throttle, "ada");
  CHECK_FALSE(throttle.Save(broken.get()).ok());
  REQUIRE_THAT(throttle.Save(database.get()), IsOk());
  LoginThrottle later(&clock);
  REQUIRE_THAT(later.Load(database.get()), IsOk());
  CHECK(Refused(later.Try("ada", kHome)));
}

TEST_CASE("throttle: an hour without failures resets an address", "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < LoginThrottle::kFreeFailures; ++i) {
      REQUIRE_THAT(throttle.Try("", kHome), IsOk());
    }
    CHECK(Refused(throttle.Try("", kHome)));
    clock.Advance(LoginThrottle::kAddressMemory);
  }
}

TEST_CASE("throttle: full tables drop the oldest entries, but no locks",
          "[backend]") {
  FakeClock clock;
  LoginThrottle throttle(&clock);
  Exhaust(&throttle, "ada");
  REQUIRE_THAT(throttle.Try("bob", "192.0.2.2"), IsOk());
  clock.Advance(absl::Milliseconds(1));
  for (size_t i = 0; i < LoginThrottle::kMaxEntries; ++i) {
    throttle.Try("user" + std::to_string(i), Elsewhere(100 + i)).IgnoreError();
  }
  CHECK(Refused(throttle.Try("ada", kHome)));
  for (int i = 0; i < 2; ++i) CHECK_THAT(throttle.Try("bob", kHome), IsOk());
}

}  // namespace
}  // namespace carme::backend
