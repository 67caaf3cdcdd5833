#include "backend/notifications/outbox.h"

#include <catch2/catch.hpp>

#include "tests/backend/notifications/notification_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const absl::Status kAway = absl::UnavailableError("the mail server is away");

InboxDelivery DeliveryOf(NotificationFixture& fixture, size_t place = 0) {
  return fixture.Of(kAda).at(place).deliveries.at(0);
}

TEST_CASE("outbox: does not send a message twice", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  fixture.Fail(kAda, "a");
  const auto message = fixture.TakeMail();
  REQUIRE(message);
  CHECK(message->uid == kAda);
  CHECK(message->events.at(0).text == "a");
  CHECK_FALSE(fixture.TakeMail());  // somebody has it
  REQUIRE_THAT(fixture.outbox.RecordResult(*message, absl::OkStatus()), IsOk());
  CHECK(DeliveryOf(fixture).state == v1::DELIVERY_STATE_SENT);
  fixture.clock.Advance(absl::Hours(48));
  REQUIRE_THAT(fixture.outbox.Recover(), IsOk());
  CHECK_FALSE(fixture.TakeMail());
}

TEST_CASE("outbox: after a crash it is the same message again", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  fixture.Fail(kAda, "a");
  const auto before = fixture.TakeMail();
  REQUIRE(before);
  // The process ends here; what comes meanwhile is no part of that message.
  fixture.Fail(kAda, "b");
  REQUIRE_THAT(fixture.outbox.Recover(), IsOk());
  const auto first = fixture.TakeMail();
  const auto second = fixture.TakeMail();
  REQUIRE(first);
  REQUIRE(second);
  const bool in_order = first->id == before->id;
  const OutboundMessage& again = in_order ? *first : *second;
  CHECK(again.id == before->id);
  CHECK(again.attempt == 2);
  REQUIRE(again.events.size() == 1);
  CHECK(again.events[0].text == "a");
  CHECK((in_order ? *second : *first).events.at(0).text == "b");
}

TEST_CASE("outbox: a message keeps its id when its first event is deleted",
          "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  fixture.Fail(kAda, "first");
  fixture.clock.Advance(absl::Minutes(1));
  fixture.Fail(kAda, "second");
  const auto before = fixture.TakeMail();
  REQUIRE(before);
  REQUIRE(before->events.size() == 2);
  REQUIRE_THAT(fixture.outbox.RecordResult(*before, kAway), IsOk());
  // So many that the first one goes, and the second stays.
  for (int64_t i = 0; i < kMaxEvents - 1; ++i) {
    REQUIRE_THAT(
        fixture.Post(
            {.uid = kAda, .kind = v1::NOTIFICATION_KIND_JOB_IDLE, .text = "x"}),
        IsOk());
  }
  fixture.clock.Advance(absl::Hours(1));
  std::optional<OutboundMessage> again;
  while (!again || again->id != before->id) {
    again = fixture.TakeMail();
    REQUIRE(again);
  }
  REQUIRE(again->events.size() == 1);
  CHECK(again->events[0].text == "second");
  CHECK(again->at == before->at);
  CHECK(again->at == before->events[0].at);
}

TEST_CASE("outbox: another worker takes over after a time-out", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  fixture.Fail(kAda, "a");
  REQUIRE(fixture.TakeMail());
  fixture.clock.Advance(Outbox::kLease - absl::Seconds(1));
  CHECK_FALSE(fixture.TakeMail());
  fixture.clock.Advance(absl::Seconds(1));
  CHECK(fixture.TakeMail());
}

TEST_CASE("outbox: retries failures, then gives up and reports it",
          "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  fixture.Fail(kAda, "a");
  int64_t attempts = 0;
  const absl::Time begin = fixture.clock.Now();
  while (fixture.clock.Now() - begin < absl::Hours(72)) {
    if (const auto message = fixture.TakeMail()) {
      CHECK(message->attempt == ++attempts);
      REQUIRE_THAT(fixture.outbox.RecordResult(*message, kAway), IsOk());
      CHECK(DeliveryOf(fixture).problem == "the mail server is away");
    }
    fixture.clock.Advance(absl::Seconds(30));
  }
  CHECK(attempts == Outbox::kMaxAttempts);
  CHECK(DeliveryOf(fixture).state == v1::DELIVERY_STATE_GIVEN_UP);
}

TEST_CASE("outbox: a permanent failure is given up immediately", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  fixture.Fail(kAda, "a");
  REQUIRE_THAT(fixture.outbox.RecordResult(*fixture.TakeMail(),
                                           absl::NotFoundError("no address")),
               IsOk());
  CHECK(DeliveryOf(fixture).state == v1::DELIVERY_STATE_GIVEN_UP);
  CHECK(DeliveryOf(fixture).problem == "no address");
  const OutboxHealth health = fixture.outbox.HealthOf(v1::CHANNEL_MAIL).value();
  CHECK(health.waiting == 0);
  CHECK(health.given_up_day == 1);
  CHECK_FALSE(health.last_sent);
}

TEST_CASE("outbox: retries an interrupted message at once", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  fixture.Fail(kAda, "a");
  REQUIRE_THAT(fixture.outbox.RecordResult(*fixture.TakeMail(),
                                           absl::CancelledError("stop")),
               IsOk());
  CHECK(DeliveryOf(fixture).problem.empty());
  CHECK(fixture.TakeMail());
}

TEST_CASE("outbox: sends pending events of a user together", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  for (const char* text : {"a", "b", "c"}) fixture.Fail(kAda, text);
  fixture.Fail(kBob, "bob's");
  const auto message = fixture.TakeMail();
  REQUIRE(message);
  REQUIRE(message->events.size() == 3);
  CHECK(message->id == message->events[0].id);
  CHECK(message->events[2].text == "c");
  const auto other = fixture.TakeMail();
  REQUIRE(other);
  CHECK(other->uid == kBob);
  CHECK_FALSE(fixture.TakeMail());
}

TEST_CASE("outbox: limits the rate and loses nothing", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  size_t sent = 0;
  const auto send = [&] {
    int messages = 0;
    while (const auto message = fixture.TakeMail(/*per_hour=*/3)) {
      if (message->uid == kAda) {
        ++messages;
        sent += message->events.size();
      }
      REQUIRE_THAT(fixture.outbox.RecordResult(*message, absl::OkStatus()),
                   IsOk());
    }
    return messages;
  };
  int messages = 0;
  for (int i = 0; i < 20; ++i) {
    fixture.Fail(kAda, "one of many");
    messages += send();
    fixture.clock.Advance(absl::Seconds(10));
  }
  CHECK(messages == 3);
  CHECK(sent == 3);
  // Others are not held up, nor is what is about the account.
  fixture.Fail(kBob, "bob's");
  REQUIRE_THAT(
      fixture.Post(
          {.uid = kAda, .kind = v1::NOTIFICATION_KIND_ACCOUNT, .text = "x"}),
      IsOk());
  CHECK(send() == 1);
  CHECK(sent == 4);
  CHECK(fixture.outbox.HealthOf(v1::CHANNEL_MAIL)->waiting == 17);
  fixture.clock.Advance(absl::Hours(1));
  CHECK(send() == 1);
  CHECK(sent == 21);
}

TEST_CASE("outbox: a webhook that only fails is paused until it is set anew",
          "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  REQUIRE_THAT(
      fixture.preferences.SetWebhook(kAda, "ada", "https://a.example/", "s"),
      IsOk());
  const auto settle = [&](const absl::Status& result) {
    fixture.Fail(kAda, "x");
    const auto message =
        fixture.outbox.TakeDue(v1::CHANNEL_WEBHOOK, 1000).value();
    REQUIRE(message);
    REQUIRE_THAT(fixture.outbox.RecordResult(*message, result), IsOk());
    return fixture.preferences.WebhookOf(kAda, "ada").value()->paused;
  };
  const absl::Status gone = absl::FailedPreconditionError("gone");
  CHECK_FALSE(settle(gone));
  CHECK_FALSE(settle(gone));
  CHECK_FALSE(settle(absl::OkStatus()));  // it counts those in a row
  CHECK_FALSE(settle(gone));
  CHECK_FALSE(settle(gone));
  CHECK(settle(gone));
  fixture.Fail(kAda, "not by a webhook");
  CHECK_FALSE(fixture.outbox.TakeDue(v1::CHANNEL_WEBHOOK, 1000).value());
  REQUIRE_THAT(
      fixture.preferences.SetWebhook(kAda, "ada", "https://a.example/", "t"),
      IsOk());
  CHECK_FALSE(settle(absl::OkStatus()));
}

}  // namespace
}  // namespace carme::backend
