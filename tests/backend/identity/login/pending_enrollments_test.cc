#include "backend/identity/login/pending_enrollments.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

const SessionId kAda("ada's session");
const SessionId kBob("bob's session");

TEST_CASE("pending enrollments: only the same user's of the same kind",
          "[backend]") {
  FakeClock clock;
  PendingEnrollments offers(&clock);
  offers.Put(kAda, CeremonyKind::kNewTotp, "secret");
  CHECK_FALSE(offers.Find(kBob, CeremonyKind::kNewTotp));
  CHECK_FALSE(offers.Find(kAda, CeremonyKind::kNewPasskey));
  CHECK(offers.Find(kAda, CeremonyKind::kNewTotp) == "secret");
}

TEST_CASE("pending enrollments: used once, replaced by a newer one",
          "[backend]") {
  FakeClock clock;
  PendingEnrollments offers(&clock);
  offers.Put(kAda, CeremonyKind::kReauthenticationPasskey, "old");
  offers.Put(kAda, CeremonyKind::kReauthenticationPasskey, "new");
  CHECK(offers.Take(kAda, CeremonyKind::kReauthenticationPasskey) == "new");
  CHECK_FALSE(offers.Take(kAda, CeremonyKind::kReauthenticationPasskey));
}

TEST_CASE("pending enrollments: expire after five minutes", "[backend]") {
  FakeClock clock;
  PendingEnrollments offers(&clock);
  offers.Put(kAda, CeremonyKind::kNewTotp, "secret");
  clock.Advance(PendingEnrollments::kLifetime);
  CHECK_FALSE(offers.Find(kAda, CeremonyKind::kNewTotp));
  CHECK_FALSE(offers.Take(kAda, CeremonyKind::kNewTotp));
}

TEST_CASE("pending enrollments: never more than a bounded number",
          "[backend]") {
  FakeClock clock;
  PendingEnrollments offers(&clock);
  offers.Put(kAda, CeremonyKind::kNewTotp, "oldest");
  clock.Advance(absl::Seconds(1));
  for (size_t i = 0; i < PendingEnrollments::kMaxEntries; ++i) {
    offers.Put(SessionId(std::to_string(i)), CeremonyKind::kNewTotp, "x");
  }
  CHECK_FALSE(offers.Find(kAda, CeremonyKind::kNewTotp));
}

}  // namespace
}  // namespace carme::backend
