// A database with people's notifications in it, for tests of what becomes of
// them.
#ifndef CARME_TESTS_BACKEND_NOTIFICATIONS_NOTIFICATION_FIXTURE_H_
#define CARME_TESTS_BACKEND_NOTIFICATIONS_NOTIFICATION_FIXTURE_H_

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/notifications/event.h"
#include "backend/notifications/inbox.h"
#include "backend/notifications/outbox.h"
#include "backend/notifications/preferences.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {

inline const Uid kAda(20001);
inline const Uid kBob(20002);

struct NotificationFixture {
  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  Inbox inbox{database.get(), &clock};
  Preferences preferences{database.get()};
  Outbox outbox{database.get(), &clock};

  void OfferAll() {
    REQUIRE_THAT(preferences.Offer({v1::CHANNEL_MAIL, v1::CHANNEL_WEBHOOK}),
                 IsOk());
  }
  absl::Status Post(const Event& event) {
    return database->Transact(
        [&](Database& db) { return PostEvent(db, event, clock.Now()); });
  }
  // A job's failure, which is sent by e-mail unless the user chose
  // otherwise.
  void Fail(Uid uid, const std::string& text, const std::string& key = "") {
    REQUIRE_THAT(Post({.uid = uid,
                       .kind = v1::NOTIFICATION_KIND_JOB_FAILED,
                       .text = text,
                       .key = key}),
                 IsOk());
  }
  std::vector<InboxEvent> Of(Uid uid) {
    return inbox.List(uid, 0, 1000).value().events;
  }
  std::optional<OutboundMessage> TakeMail(int per_hour = 1000) {
    return outbox.TakeDue(v1::CHANNEL_MAIL, per_hour).value();
  }
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_NOTIFICATIONS_NOTIFICATION_FIXTURE_H_
