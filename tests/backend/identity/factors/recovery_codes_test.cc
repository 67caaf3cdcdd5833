#include "backend/identity/factors/recovery_codes.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backend/notifications/inbox.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kNo = absl::StatusCode::kUnauthenticated;
const Uid kAda(20001);
const Uid kBob(20002);

struct Site {
  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  RecoveryCodes codes{database.get(), &clock};
  absl::StatusCode Use(Uid uid, const std::string& code) {
    return codes.Use(uid, code, "192.0.2.1").code();
  }
};

TEST_CASE("recovery codes: refuses malformed codes", "[backend]") {
  Site site;
  REQUIRE_THAT(site.codes.Renew(kAda), IsOk());
  for (const std::string& text :
       {std::string(), std::string("ABCD"), std::string("ABCD-EFGH-JKLM-NPQ0"),
        std::string("ABCD-EFGH-JKLM-NPQRS"), std::string(1000, '-'),
        std::string("ABCD-EFGH-JKLM-NPQR")}) {
    CHECK(site.Use(kAda, text) == kNo);
  }
  CHECK(site.codes.CountUnused(kAda).value() == RecoveryCodes::kCount);
}

TEST_CASE("recovery codes: reading a code does not use it", "[backend]") {
  Site site;
  const auto codes = site.codes.Renew(kAda).value();
  CHECK_THAT(site.codes.Check(kBob, codes[0]), StatusIs(kNo));
  CHECK_THAT(site.codes.Check(kAda, "ABCD-EFGH-JKLM-NPQR"), StatusIs(kNo));
  CHECK_THAT(site.codes.Check(kAda, "none"), StatusIs(kNo));
  CHECK_THAT(site.codes.Check(kAda, codes[0]), IsOk());
  CHECK_THAT(site.codes.Check(kAda, codes[0]), IsOk());
  CHECK(site.codes.CountUnused(kAda).value() == RecoveryCodes::kCount);
  REQUIRE(site.Use(kAda, codes[0]) == absl::StatusCode::kOk);
  CHECK_THAT(site.codes.Check(kAda, codes[0]), StatusIs(kNo));
}

TEST_CASE("recovery codes: ten different ones, easy to copy", "[backend]") {
  Site site;
  const auto codes = site.codes.Renew(kAda).value();
  CHECK(codes.size() == 10);
  CHECK(std::set<std::string>(codes.begin(), codes.end()).size() == 10);
  for (const std::string& code : codes) {
    CHECK(code.size() == 19);
    CHECK(code.find_first_of("01IO") == std::string::npos);
    CHECK(NormalRecoveryCode(code)->size() == 16);
  }
}

TEST_CASE("recovery codes: each works once, for its owner only", "[backend]") {
  Site site;
  const auto codes = site.codes.Renew(kAda).value();
  REQUIRE_THAT(site.codes.Renew(kBob), IsOk());
  CHECK(site.Use(kBob, codes[0]) == kNo);
  CHECK(site.Use(kAda, codes[0]) == absl::StatusCode::kOk);
  CHECK(site.Use(kAda, codes[0]) == kNo);
  CHECK(site.codes.CountUnused(kAda).value() == 9);
}

TEST_CASE("recovery codes: a notification says how many are left",
          "[backend]") {
  Site site;
  const auto codes = site.codes.Renew(kAda).value();
  for (const std::string& code : codes) {
    REQUIRE(site.Use(kAda, code) == absl::StatusCode::kOk);
  }
  const auto notices =
      Inbox(site.database.get(), &site.clock).List(kAda, 0, 10)->events;
  REQUIRE(notices.size() == RecoveryCodes::kCount);  // the newest first
  CHECK(notices[0].text.text.find("Your last recovery code") == 0);
  CHECK(notices[1].text.text.find("192.0.2.1; one is left.") !=
        std::string::npos);
  CHECK(notices[2].text.text.find("192.0.2.1; 2 are left.") !=
        std::string::npos);
}

TEST_CASE("recovery codes: typed without hyphens and in small letters",
          "[backend]") {
  Site site;
  std::string code = site.codes.Renew(kAda).value()[0];
  code.erase(std::remove(code.begin(), code.end(), '-'), code.end());
  std::transform(code.begin(), code.end(), code.begin(), ::tolower);
  CHECK(site.Use(kAda, " " + code + " ") == absl::StatusCode::kOk);
}

TEST_CASE("recovery codes: one used many times at once is accepted once",
          "[backend]") {
  Site site;
  const std::string code = site.codes.Renew(kAda).value()[0];
  std::atomic<int> let_in = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back(
        [&] { let_in += site.Use(kAda, code) == absl::StatusCode::kOk; });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(let_in == 1);
}

TEST_CASE("recovery codes: new ones make the old ones void", "[backend]") {
  Site site;
  const auto old = site.codes.Renew(kAda).value();
  REQUIRE_THAT(site.codes.Renew(kAda), IsOk());
  CHECK(site.Use(kAda, old[0]) == kNo);
}

}  // namespace
}  // namespace carme::backend
