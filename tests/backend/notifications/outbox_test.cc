#include "backend/notifications/outbox.h"

#include <catch2/catch.hpp>

#include "tests/backend/notifications/told.h"

namespace carme::backend {
namespace {

const absl::Status kAway = absl::UnavailableError("the mail server is away");

InboxDelivery DeliveryOf(Told& told, size_t place = 0) {
  return told.Of(kAda).at(place).deliveries.at(0);
}

TEST_CASE("outbox: what was sent is not sent again", "[backend]") {
  Told told;
  told.OfferAll();
  told.Fail(kAda, "a");
  const auto parcel = told.TakeMail();
  REQUIRE(parcel);
  CHECK(parcel->uid == kAda);
  CHECK(parcel->events.at(0).text == "a");
  CHECK_FALSE(told.TakeMail());  // somebody has it
  REQUIRE(told.outbox.Settle(*parcel, absl::OkStatus()).ok());
  CHECK(DeliveryOf(told).state == DeliveryState::kSent);
  told.clock.Advance(absl::Hours(48));
  REQUIRE(told.outbox.Recover().ok());
  CHECK_FALSE(told.TakeMail());
}

TEST_CASE("outbox: after a crash it is the same parcel again", "[backend]") {
  Told told;
  told.OfferAll();
  told.Fail(kAda, "a");
  const auto before = told.TakeMail();
  REQUIRE(before);
  // The process ends here; what comes meanwhile is no part of that parcel.
  told.Fail(kAda, "b");
  REQUIRE(told.outbox.Recover().ok());
  const auto first = told.TakeMail();
  const auto second = told.TakeMail();
  REQUIRE(first);
  REQUIRE(second);
  const bool in_order = first->id == before->id;
  const Parcel& again = in_order ? *first : *second;
  CHECK(again.id == before->id);
  CHECK(again.attempt == 2);
  REQUIRE(again.events.size() == 1);
  CHECK(again.events[0].text == "a");
  CHECK((in_order ? *second : *first).events.at(0).text == "b");
}

TEST_CASE("outbox: a parcel keeps its id when its first event is forgotten",
          "[backend]") {
  Told told;
  told.OfferAll();
  told.Fail(kAda, "first");
  told.clock.Advance(absl::Minutes(1));
  told.Fail(kAda, "second");
  const auto before = told.TakeMail();
  REQUIRE(before);
  REQUIRE(before->events.size() == 2);
  REQUIRE(told.outbox.Settle(*before, kAway).ok());
  // So many that the first one goes, and the second stays.
  for (int64_t i = 0; i < kMostEvents - 1; ++i) {
    REQUIRE(told.Post({.uid = kAda, .kind = EventKind::kJobIdle, .text = "x"})
                .ok());
  }
  told.clock.Advance(absl::Hours(1));
  std::optional<Parcel> again;
  while (!again || again->id != before->id) {
    again = told.TakeMail();
    REQUIRE(again);
  }
  REQUIRE(again->events.size() == 1);
  CHECK(again->events[0].text == "second");
  CHECK(again->at == before->at);
  CHECK(again->at == before->events[0].at);
}

TEST_CASE("outbox: one whose process hangs is another's after a while",
          "[backend]") {
  Told told;
  told.OfferAll();
  told.Fail(kAda, "a");
  REQUIRE(told.TakeMail());
  told.clock.Advance(Outbox::kLease - absl::Seconds(1));
  CHECK_FALSE(told.TakeMail());
  told.clock.Advance(absl::Seconds(1));
  CHECK(told.TakeMail());
}

TEST_CASE("outbox: what fails is tried again, then given up and said so",
          "[backend]") {
  Told told;
  told.OfferAll();
  told.Fail(kAda, "a");
  int64_t attempts = 0;
  const absl::Time begin = told.clock.Now();
  while (told.clock.Now() - begin < absl::Hours(72)) {
    if (const auto parcel = told.TakeMail()) {
      CHECK(parcel->attempt == ++attempts);
      REQUIRE(told.outbox.Settle(*parcel, kAway).ok());
      CHECK(DeliveryOf(told).problem == "the mail server is away");
    }
    told.clock.Advance(absl::Seconds(30));
  }
  CHECK(attempts == Outbox::kMostAttempts);
  CHECK(DeliveryOf(told).state == DeliveryState::kGivenUp);
}

TEST_CASE("outbox: what cannot be sent at all is given up at once",
          "[backend]") {
  Told told;
  told.OfferAll();
  told.Fail(kAda, "a");
  REQUIRE(
      told.outbox.Settle(*told.TakeMail(), absl::NotFoundError("no address"))
          .ok());
  CHECK(DeliveryOf(told).state == DeliveryState::kGivenUp);
  CHECK(DeliveryOf(told).problem == "no address");
  const OutboxHealth health = told.outbox.HealthOf(Channel::kMail).value();
  CHECK(health.waiting == 0);
  CHECK(health.given_up_day == 1);
  CHECK_FALSE(health.last_sent);
}

TEST_CASE("outbox: what was broken off is due at once", "[backend]") {
  Told told;
  told.OfferAll();
  told.Fail(kAda, "a");
  REQUIRE(
      told.outbox.Settle(*told.TakeMail(), absl::CancelledError("stop")).ok());
  CHECK(DeliveryOf(told).problem.empty());
  CHECK(told.TakeMail());
}

TEST_CASE("outbox: what waits for one person goes together", "[backend]") {
  Told told;
  told.OfferAll();
  for (const char* text : {"a", "b", "c"}) told.Fail(kAda, text);
  told.Fail(kBob, "bob's");
  const auto parcel = told.TakeMail();
  REQUIRE(parcel);
  REQUIRE(parcel->events.size() == 3);
  CHECK(parcel->id == parcel->events[0].id);
  CHECK(parcel->events[2].text == "c");
  const auto other = told.TakeMail();
  REQUIRE(other);
  CHECK(other->uid == kBob);
  CHECK_FALSE(told.TakeMail());
}

TEST_CASE("outbox: nobody is flooded, and nothing is lost by that",
          "[backend]") {
  Told told;
  told.OfferAll();
  size_t sent = 0;
  const auto send = [&] {
    int parcels = 0;
    while (const auto parcel = told.TakeMail(/*per_hour=*/3)) {
      if (parcel->uid == kAda) {
        ++parcels;
        sent += parcel->events.size();
      }
      REQUIRE(told.outbox.Settle(*parcel, absl::OkStatus()).ok());
    }
    return parcels;
  };
  int parcels = 0;
  for (int i = 0; i < 20; ++i) {
    told.Fail(kAda, "one of many");
    parcels += send();
    told.clock.Advance(absl::Seconds(10));
  }
  CHECK(parcels == 3);
  CHECK(sent == 3);
  // Others are not held up, nor is what is about the account.
  told.Fail(kBob, "bob's");
  REQUIRE(
      told.Post({.uid = kAda, .kind = EventKind::kAccount, .text = "x"}).ok());
  CHECK(send() == 1);
  CHECK(sent == 4);
  CHECK(told.outbox.HealthOf(Channel::kMail)->waiting == 17);
  told.clock.Advance(absl::Hours(1));
  CHECK(send() == 1);
  CHECK(sent == 21);
}

TEST_CASE("outbox: a webhook that only fails is paused until it is set anew",
          "[backend]") {
  Told told;
  told.OfferAll();
  REQUIRE(
      told.preferences.SetWebhook(kAda, "ada", "https://a.example/", "s").ok());
  const auto settle = [&](const absl::Status& result) {
    told.Fail(kAda, "x");
    const auto parcel = told.outbox.Take(Channel::kWebhook, 1000).value();
    REQUIRE(parcel);
    REQUIRE(told.outbox.Settle(*parcel, result).ok());
    return told.preferences.WebhookOf(kAda, "ada").value()->paused;
  };
  const absl::Status gone = absl::FailedPreconditionError("gone");
  CHECK_FALSE(settle(gone));
  CHECK_FALSE(settle(gone));
  CHECK_FALSE(settle(absl::OkStatus()));  // it counts those in a row
  CHECK_FALSE(settle(gone));
  CHECK_FALSE(settle(gone));
  CHECK(settle(gone));
  told.Fail(kAda, "not by a webhook");
  CHECK_FALSE(told.outbox.Take(Channel::kWebhook, 1000).value());
  REQUIRE(
      told.preferences.SetWebhook(kAda, "ada", "https://a.example/", "t").ok());
  CHECK_FALSE(settle(absl::OkStatus()));
}

}  // namespace
}  // namespace carme::backend
