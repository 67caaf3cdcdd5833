#include "backend/identity/factor_store.h"

#include <liboath/oath.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace carme {
namespace {

constexpr char kSecret[] = "12345678901234567890";
constexpr auto kNo = absl::StatusCode::kUnauthenticated;

std::string CodeAt(absl::Time time) {
  char code[7] = {};
  REQUIRE(oath_totp_generate(kSecret, 20, absl::ToUnixSeconds(time), 30, 0, 6,
                             code) == OATH_OK);
  return code;
}

struct Store {
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  FactorStore factors{database.get()};
  FakeClock clock;
  std::string Now() const { return CodeAt(clock.Now()); }
};

TEST_CASE("factors: without one, no code is right", "[backend]") {
  Store store;
  CHECK_FALSE(store.factors.HasTotp("ada").value());
  CHECK(store.factors.UseTotp("ada", store.Now(), store.clock.Now()).code() ==
        kNo);
}

TEST_CASE("factors: a wrong code enrols nothing", "[backend]") {
  Store store;
  CHECK(store.factors.EnrolTotp("ada", kSecret, "000000", store.clock.Now())
            .code() == kNo);
  CHECK_FALSE(store.factors.HasTotp("ada").value());
}

TEST_CASE("factors: an enrolled account cannot be enrolled again",
          "[backend]") {
  Store store;
  REQUIRE(
      store.factors.EnrolTotp("ada", kSecret, store.Now(), store.clock.Now())
          .ok());
  store.clock.Advance(absl::Seconds(30));
  CHECK(store.factors.EnrolTotp("ada", kSecret, store.Now(), store.clock.Now())
            .code() == kNo);
}

TEST_CASE("factors: a code works once, the enrolment's too", "[backend]") {
  Store store;
  REQUIRE(
      store.factors.EnrolTotp("ada", kSecret, store.Now(), store.clock.Now())
          .ok());
  CHECK(store.factors.UseTotp("ada", store.Now(), store.clock.Now()).code() ==
        kNo);
  store.clock.Advance(absl::Seconds(30));
  const std::string code = store.Now();
  CHECK(store.factors.UseTotp("ada", code, store.clock.Now()).ok());
  CHECK(store.factors.UseTotp("ada", code, store.clock.Now()).code() == kNo);
}

TEST_CASE("factors: after a code of the next step the present one is used",
          "[backend]") {
  Store store;
  REQUIRE(
      store.factors.EnrolTotp("ada", kSecret, store.Now(), store.clock.Now())
          .ok());
  store.clock.Advance(absl::Seconds(60));
  const absl::Time now = store.clock.Now();
  CHECK(
      store.factors.UseTotp("ada", CodeAt(now + absl::Seconds(30)), now).ok());
  CHECK(store.factors.UseTotp("ada", CodeAt(now), now).code() == kNo);
}

TEST_CASE("factors: of many who use one code at once, one gets in",
          "[backend]") {
  Store store;
  REQUIRE(
      store.factors.EnrolTotp("ada", kSecret, store.Now(), store.clock.Now())
          .ok());
  store.clock.Advance(absl::Seconds(30));
  const std::string code = store.Now();
  std::atomic<int> let_in = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      let_in += store.factors.UseTotp("ada", code, store.clock.Now()).ok();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(let_in == 1);
}

TEST_CASE("factors: a code is spent across a restart", "[backend]") {
  TempDir dir;
  FakeClock clock;
  const std::string code = CodeAt(clock.Now());
  {
    auto database = Database::Open(dir.File("db"), Migrations()).value();
    REQUIRE(FactorStore(database.get())
                .EnrolTotp("ada", kSecret, code, clock.Now())
                .ok());
  }
  auto database = Database::Open(dir.File("db"), Migrations()).value();
  CHECK(FactorStore(database.get()).UseTotp("ada", code, clock.Now()).code() ==
        kNo);
}

}  // namespace
}  // namespace carme
