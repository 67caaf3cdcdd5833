#include "backend/identity/factors/factor_store.h"

#include <liboath/oath.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backend/identity/factors/recovery_codes.h"
#include "backend/notifications/inbox.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr char kSecret[] = "12345678901234567890";
constexpr char kOther[] = "abcdefghijklmnopqrst";
constexpr auto kNo = absl::StatusCode::kUnauthenticated;
const Uid kAda(20001);
const Uid kBob(20002);

std::string CodeAt(absl::Time time, const char* secret = kSecret) {
  char code[7] = {};
  REQUIRE(oath_totp_generate(secret, 20, absl::ToUnixSeconds(time), 30, 0, 6,
                             code) == OATH_OK);
  return code;
}

struct Store {
  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  FactorStore factors{database.get(), &clock};

  std::string Now(const char* secret = kSecret) const {
    return CodeAt(clock.Now(), secret);
  }
  absl::StatusOr<Enrollment> Add(
      Uid uid, const char* secret,
      EnrollmentKind which = EnrollmentKind::kFirst) {
    return factors.AddTotp(uid, "a telephone", secret, Now(secret), which);
  }
  // Enrols ada's first; the clock stands in the next step then.
  Enrollment Enrolled() {
    auto made = Add(kAda, kSecret);
    REQUIRE_THAT(made, IsOk());
    clock.Advance(absl::Seconds(30));
    return *std::move(made);
  }
  absl::StatusCode Use(Uid uid, const std::string& code) {
    return factors.UseTotp(uid, code).code();
  }
};

TEST_CASE("factors: without one, no code is right", "[backend]") {
  Store store;
  CHECK(store.factors.List(kAda)->empty());
  CHECK(store.Use(kAda, store.Now()) == kNo);
}

TEST_CASE("factors: a wrong code does not enroll a factor", "[backend]") {
  Store store;
  CHECK_THAT(store.factors
                 .AddTotp(kAda, "x", kSecret, "000000", EnrollmentKind::kFirst)
                 .status(),
             StatusIs(kNo));
  CHECK(store.factors.List(kAda)->empty());
}

TEST_CASE("factors: a name for the list is wanted", "[backend]") {
  Store store;
  for (const std::string& name :
       {std::string(), std::string(65, 'x'), std::string("a\nb")}) {
    CHECK(absl::IsInvalidArgument(
        store.factors
            .AddTotp(kAda, name, kSecret, store.Now(), EnrollmentKind::kFirst)
            .status()));
  }
  CHECK(store.factors.List(kAda)->empty());
}

TEST_CASE("factors: a password is not a second factor", "[backend]") {
  Store store;
  store.Enrolled();
  CHECK_THAT(store.Add(kAda, kOther), StatusIs(kNo));
  CHECK(store.factors.List(kAda)->size() == 1);
}

TEST_CASE("factors: an account has a bounded number of them", "[backend]") {
  Store store;
  store.Enrolled();
  for (int i = 1; i < FactorStore::kMaxPerAccount; ++i) {
    std::string secret = kOther;
    secret[0] = static_cast<char>('A' + i);
    REQUIRE_THAT(store.Add(kAda, secret.c_str(), EnrollmentKind::kAdditional),
                 IsOk());
  }
  CHECK(absl::IsResourceExhausted(
      store.Add(kAda, kOther, EnrollmentKind::kAdditional).status()));
  CHECK_THAT(store.Add(kBob, kOther), IsOk());
}

TEST_CASE("factors: one secret is enrolled once", "[backend]") {
  Store store;
  store.Enrolled();
  CHECK(absl::IsAlreadyExists(
      store.Add(kAda, kSecret, EnrollmentKind::kAdditional).status()));
  CHECK(store.factors.List(kAda)->size() == 1);
}

TEST_CASE("factors: a code works once, the enrolment's too", "[backend]") {
  Store store;
  REQUIRE_THAT(store.Add(kAda, kSecret), IsOk());
  CHECK(store.Use(kAda, store.Now()) == kNo);
  store.clock.Advance(absl::Seconds(30));
  const std::string code = store.Now();
  CHECK(store.Use(kAda, code) == absl::StatusCode::kOk);
  CHECK(store.Use(kAda, code) == kNo);
}

TEST_CASE("factors: after a code of the next step the present one is used",
          "[backend]") {
  Store store;
  store.Enrolled();
  store.clock.Advance(absl::Seconds(30));
  const absl::Time now = store.clock.Now();
  CHECK(store.Use(kAda, CodeAt(now + absl::Seconds(30))) ==
        absl::StatusCode::kOk);
  CHECK(store.Use(kAda, CodeAt(now)) == kNo);
}

TEST_CASE("factors: each of several apps is good, each for itself",
          "[backend]") {
  Store store;
  store.Enrolled();
  REQUIRE_THAT(store.Add(kAda, kOther, EnrollmentKind::kAdditional), IsOk());
  store.clock.Advance(absl::Seconds(30));
  CHECK(store.Use(kAda, store.Now(kOther)) == absl::StatusCode::kOk);
  CHECK(store.Use(kAda, store.Now(kSecret)) == absl::StatusCode::kOk);
  CHECK(store.Use(kAda, store.Now(kOther)) == kNo);
  CHECK(store.Use(kBob, store.Now(kOther)) == kNo);
}

TEST_CASE("factors: the list shows when each was used", "[backend]") {
  Store store;
  store.Enrolled();
  auto list = store.factors.List(kAda).value();
  REQUIRE(list.size() == 1);
  CHECK(list[0].name == "a telephone");
  CHECK(list[0].kind == v1::FACTOR_TOTP);
  CHECK_FALSE(list[0].used_at);
  REQUIRE_THAT(store.factors.UseTotp(kAda, store.Now()), IsOk());
  CHECK(store.factors.List(kAda).value()[0].used_at == store.clock.Now());
}

TEST_CASE("factors: a code used many times at once is accepted once",
          "[backend]") {
  Store store;
  store.Enrolled();
  const std::string code = store.Now();
  std::atomic<int> let_in = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back(
        [&] { let_in += store.factors.UseTotp(kAda, code).ok(); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(let_in == 1);
}

TEST_CASE("factors: the last one cannot be removed", "[backend]") {
  Store store;
  const std::string first = store.Enrolled().factor.id;
  CHECK(absl::IsFailedPrecondition(store.factors.Remove(kAda, first)));
  const auto second = store.Add(kAda, kOther, EnrollmentKind::kAdditional);
  CHECK(absl::IsNotFound(store.factors.Remove(kBob, first)));
  CHECK(absl::IsNotFound(store.factors.Remove(kAda, "nothing")));
  CHECK_THAT(store.factors.Remove(kAda, first), IsOk());
  CHECK(absl::IsNotFound(store.factors.Remove(kAda, first)));
  CHECK(absl::IsFailedPrecondition(
      store.factors.Remove(kAda, second->factor.id)));
}

TEST_CASE("factors: removing the last two at once fails for one", "[backend]") {
  Store store;
  const std::string first = store.Enrolled().factor.id;
  const std::string second =
      store.Add(kAda, kOther, EnrollmentKind::kAdditional)->factor.id;
  std::atomic<int> removed = 0;
  std::thread other([&] { removed += store.factors.Remove(kAda, first).ok(); });
  removed += store.factors.Remove(kAda, second).ok();
  other.join();
  CHECK(removed == 1);
}

TEST_CASE("factors: a reset deletes all factors and notifies the user",
          "[backend]") {
  Store store;
  RecoveryCodes codes(store.database.get(), &store.clock);
  CHECK(store.Enrolled().recovery_codes.size() == RecoveryCodes::kCount);
  CHECK(codes.CountUnused(kAda).value() == RecoveryCodes::kCount);
  REQUIRE_THAT(store.factors.RemoveAll(kAda, "carol reset them"), IsOk());
  CHECK(store.factors.List(kAda)->empty());
  CHECK(codes.CountUnused(kAda).value() == 0);
  Inbox inbox(store.database.get(), &store.clock);
  CHECK(inbox.List(kAda, 0, 1).value().events.at(0).text.text ==
        "carol reset them");
  CHECK_THAT(store.Add(kAda, kOther), IsOk());
}

TEST_CASE("factors: a code is spent across a restart", "[backend]") {
  TempDir dir;
  FakeClock clock;
  const std::string code = CodeAt(clock.Now());
  {
    auto database = Database::Open(dir.File("db"), Migrations()).value();
    REQUIRE_THAT(FactorStore(database.get(), &clock)
                     .AddTotp(kAda, "x", kSecret, code, EnrollmentKind::kFirst),
                 IsOk());
  }
  auto database = Database::Open(dir.File("db"), Migrations()).value();
  CHECK_THAT(FactorStore(database.get(), &clock).UseTotp(kAda, code),
             StatusIs(kNo));
}

}  // namespace
}  // namespace carme::backend
