#include "backend/identity/session_offers.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

const SessionId kAda("ada's session");
const SessionId kBob("bob's session");

TEST_CASE("session offers: nobody else's, and no other kind", "[backend]") {
  FakeClock clock;
  SessionOffers offers(&clock);
  offers.Put(kAda, OfferKind::kNewTotp, "secret");
  CHECK_FALSE(offers.Find(kBob, OfferKind::kNewTotp));
  CHECK_FALSE(offers.Find(kAda, OfferKind::kNewPasskey));
  CHECK(offers.Find(kAda, OfferKind::kNewTotp) == "secret");
}

TEST_CASE("session offers: taken once, replaced by a newer one", "[backend]") {
  FakeClock clock;
  SessionOffers offers(&clock);
  offers.Put(kAda, OfferKind::kFreshPasskey, "old");
  offers.Put(kAda, OfferKind::kFreshPasskey, "new");
  CHECK(offers.Take(kAda, OfferKind::kFreshPasskey) == "new");
  CHECK_FALSE(offers.Take(kAda, OfferKind::kFreshPasskey));
}

TEST_CASE("session offers: dead after five minutes", "[backend]") {
  FakeClock clock;
  SessionOffers offers(&clock);
  offers.Put(kAda, OfferKind::kNewTotp, "secret");
  clock.Advance(SessionOffers::kLifetime);
  CHECK_FALSE(offers.Find(kAda, OfferKind::kNewTotp));
  CHECK_FALSE(offers.Take(kAda, OfferKind::kNewTotp));
}

TEST_CASE("session offers: never more than a bounded number", "[backend]") {
  FakeClock clock;
  SessionOffers offers(&clock);
  offers.Put(kAda, OfferKind::kNewTotp, "oldest");
  clock.Advance(absl::Seconds(1));
  for (size_t i = 0; i < SessionOffers::kMost; ++i) {
    offers.Put(SessionId(std::to_string(i)), OfferKind::kNewTotp, "x");
  }
  CHECK_FALSE(offers.Find(kAda, OfferKind::kNewTotp));
}

}  // namespace
}  // namespace carme::backend
