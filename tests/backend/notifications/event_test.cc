#include "backend/notifications/event.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "backend/notifications/channel.h"
#include "carme/v1/jobs.pb.h"
#include "tests/backend/notifications/notification_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

// The channels of a user's newest event.
std::vector<Channel> ChannelsOfNewest(NotificationFixture& fixture, Uid uid) {
  std::vector<Channel> channels;
  const InboxEvent newest = fixture.Of(uid).at(0);
  for (const InboxDelivery& one : newest.deliveries) {
    channels.push_back(one.channel);
  }
  return channels;
}

const std::vector<Channel> kNone = {};
const std::vector<Channel> kMailOnly = {v1::CHANNEL_MAIL};
const std::vector<Channel> kBoth = {v1::CHANNEL_MAIL, v1::CHANNEL_WEBHOOK};

TEST_CASE("event: a failed transaction notifies no user", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  const absl::Status failed =
      fixture.database->Transact([&](Database& db) -> absl::Status {
        REQUIRE_THAT(PostEvent(db,
                               {.uid = kAda,
                                .kind = v1::NOTIFICATION_KIND_ACCOUNT,
                                .text = "a factor is gone"},
                               fixture.clock.Now()),
                     IsOk());
        return absl::InternalError("the factor stays");
      });
  CHECK_FALSE(failed.ok());
  CHECK(fixture.Of(kAda).empty());
  CHECK_FALSE(fixture.TakeMail());
}

TEST_CASE("event: one of a key is notified once, of each person", "[backend]") {
  NotificationFixture fixture;
  fixture.Fail(kAda, "first", "job:1:ended");
  fixture.Fail(kAda, "again", "job:1:ended");
  fixture.Fail(kAda, "another", "job:2:ended");
  fixture.Fail(kBob, "bob's", "job:1:ended");
  REQUIRE(fixture.Of(kAda).size() == 2);
  CHECK(fixture.Of(kAda)[0].text.text == "another");
  CHECK(fixture.Of(kAda)[1].text.text == "first");
  CHECK(fixture.Of(kBob).size() == 1);
}

TEST_CASE("event: other events do not displace account events", "[backend]") {
  NotificationFixture fixture;
  REQUIRE_THAT(fixture.Post({.uid = kAda,
                             .kind = v1::NOTIFICATION_KIND_ACCOUNT,
                             .text = "a recovery code was used"}),
               IsOk());
  fixture.Fail(kAda, "the oldest");
  for (int i = 0; i < kMaxEvents; ++i) fixture.Fail(kAda, "noise");
  const auto events = fixture.Of(kAda);
  CHECK(events.size() == kMaxEvents + 1);
  CHECK(events.back().text.text == "a recovery code was used");
  for (int i = 0; i < kMaxAccountEvents + 3; ++i) {
    REQUIRE_THAT(fixture.Post({.uid = kAda,
                               .kind = v1::NOTIFICATION_KIND_ACCOUNT,
                               .text = "another code"}),
                 IsOk());
  }
  CHECK(fixture.Of(kAda).size() == kMaxEvents + kMaxAccountEvents);
}

TEST_CASE("event: a text is one line of a bounded length", "[backend]") {
  NotificationFixture fixture;
  fixture.Fail(kAda, "one\r\nBcc: eve@example.org\n" + std::string(5000, 'x'));
  const std::string text = fixture.Of(kAda).at(0).text.text;
  CHECK(text.find('\n') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.size() <= 1000);
}

TEST_CASE("event: delivered only by channels that the site enables",
          "[backend]") {
  NotificationFixture fixture;
  fixture.Fail(kAda, "nothing is offered");
  CHECK(ChannelsOfNewest(fixture, kAda) == kNone);
  fixture.OfferAll();
  fixture.Fail(kAda, "no webhook");
  CHECK(ChannelsOfNewest(fixture, kAda) == kMailOnly);
  REQUIRE_THAT(
      fixture.preferences.SetWebhook(kAda, "ada", "https://a.example/", "s"),
      IsOk());
  fixture.Fail(kAda, "both");
  CHECK(ChannelsOfNewest(fixture, kAda) == kBoth);
  REQUIRE_THAT(fixture.preferences.Offer({}), IsOk());
  fixture.Fail(kAda, "nothing again");
  CHECK(ChannelsOfNewest(fixture, kAda) == kNone);
}

TEST_CASE("event: an event without a channel is shown in the portal only",
          "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  REQUIRE_THAT(fixture.Post({.uid = kAda,
                             .kind = v1::NOTIFICATION_KIND_JOB_STARTED,
                             .text = "a"}),
               IsOk());
  CHECK(ChannelsOfNewest(fixture, kAda) ==
        kNone);  // not unless it is asked for
  KindSet started;
  started.Add(v1::NOTIFICATION_KIND_JOB_STARTED);
  REQUIRE_THAT(fixture.preferences.Choose(kAda, v1::CHANNEL_MAIL, started),
               IsOk());
  fixture.Fail(kAda, "not chosen any more");
  CHECK(ChannelsOfNewest(fixture, kAda) == kNone);
  REQUIRE_THAT(fixture.Post({.uid = kAda,
                             .kind = v1::NOTIFICATION_KIND_JOB_STARTED,
                             .text = "b"}),
               IsOk());
  CHECK(ChannelsOfNewest(fixture, kAda) == kMailOnly);
  fixture.Fail(kBob, "bob chose nothing");
  CHECK(ChannelsOfNewest(fixture, kBob) == kMailOnly);
}

TEST_CASE("event: account events are always mailed", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  REQUIRE_THAT(fixture.preferences.Choose(kAda, v1::CHANNEL_MAIL, KindSet()),
               IsOk());
  REQUIRE_THAT(fixture.preferences.Choose(kAda, v1::CHANNEL_WEBHOOK, KindSet()),
               IsOk());
  REQUIRE_THAT(
      fixture.preferences.SetWebhook(kAda, "ada", "https://a.example/", "s"),
      IsOk());
  REQUIRE_THAT(
      fixture.Post(
          {.uid = kAda, .kind = v1::NOTIFICATION_KIND_ACCOUNT, .text = "a"}),
      IsOk());
  CHECK(ChannelsOfNewest(fixture, kAda) == kMailOnly);
}

TEST_CASE("event: a job may ask for more than its user chose", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  REQUIRE_THAT(fixture.preferences.Choose(kAda, v1::CHANNEL_MAIL, KindSet()),
               IsOk());
  v1::JobSpec spec;
  spec.add_notify(v1::JOB_EVENT_STARTED);
  REQUIRE_THAT(fixture.database->Transact([&](Database& db) -> absl::Status {
    return db
        .Prepare(
            "INSERT INTO jobs (id, owner, owner_uid, spec, "
            "state, reason, ending, nodes, exit_code, "
            "agent_address, agent_port, apps, created_at) "
            "VALUES ('job1','ada',?1,?2,2,'',0,'',0,'',0,"
            "x'',0)")
        .value()
        .Bind(1, int64_t{kAda.value()})
        .BindBlob(2, spec.SerializeAsString())
        .Run();
  }),
               IsOk());
  const auto post = [&](Uid uid, EventKind kind) {
    REQUIRE_THAT(
        fixture.Post(
            {.uid = uid, .kind = kind, .subject = "job1", .text = "x"}),
        IsOk());
    return ChannelsOfNewest(fixture, uid);
  };
  CHECK(post(kAda, v1::NOTIFICATION_KIND_JOB_ENDED) == kNone);
  CHECK(post(kAda, v1::NOTIFICATION_KIND_JOB_STARTED) == kMailOnly);
  CHECK(post(kBob, v1::NOTIFICATION_KIND_JOB_STARTED) ==
        kNone);  // it is not bob's
}

TEST_CASE("event: a test uses one channel, once a minute", "[backend]") {
  NotificationFixture fixture;
  fixture.OfferAll();
  const auto test = [&] {
    return fixture.database->Transact([&](Database& db) {
      return PostTest(db, kAda, v1::CHANNEL_MAIL, fixture.clock.Now()).status();
    });
  };
  CHECK_THAT(test(), IsOk());
  CHECK(ChannelsOfNewest(fixture, kAda) == kMailOnly);
  CHECK(absl::IsResourceExhausted(test()));
  fixture.clock.Advance(absl::Minutes(1));
  CHECK_THAT(test(), IsOk());
}

TEST_CASE("inbox: marks only the user's events, up to the last one shown",
          "[backend]") {
  NotificationFixture fixture;
  for (const char* text : {"a", "b", "c", "d"}) fixture.Fail(kAda, text);
  fixture.Fail(kBob, "bob's");
  const auto events = fixture.Of(kAda);
  CHECK(fixture.inbox.MarkRead(kBob, {events[3].id}, events[0].id).value() ==
        1);
  CHECK(fixture.inbox.MarkRead(kAda, {events[3].id}, 0).value() == 3);
  CHECK(fixture.Of(kAda)[3].read);
  fixture.Fail(kAda, "came meanwhile");
  CHECK(fixture.inbox.MarkRead(kAda, {}, events[0].id).value() == 1);
  CHECK_FALSE(fixture.Of(kAda)[0].read);
}

TEST_CASE("inbox: pages follow each other", "[backend]") {
  NotificationFixture fixture;
  for (const char* text : {"a", "b", "c"}) fixture.Fail(kAda, text);
  const InboxPage first = fixture.inbox.List(kAda, 0, 2).value();
  REQUIRE(first.events.size() == 2);
  CHECK(first.more);
  CHECK(first.unread == 3);
  const InboxPage rest =
      fixture.inbox.List(kAda, first.events.back().id, 2).value();
  REQUIRE(rest.events.size() == 1);
  CHECK(rest.events[0].text.text == "a");
  CHECK_FALSE(rest.more);
}

TEST_CASE("inbox: deletes old events", "[backend]") {
  NotificationFixture fixture;
  fixture.Fail(kAda, "old");
  fixture.clock.Advance(Inbox::kRetention + absl::Hours(1));
  fixture.Fail(kAda, "new");
  fixture.inbox.Sweep();
  REQUIRE(fixture.Of(kAda).size() == 1);
  CHECK(fixture.Of(kAda)[0].text.text == "new");
}

TEST_CASE("inbox: the notices of an older Carme are in it", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("carme.db");
  std::vector<std::string_view> before = Migrations();
  const auto ours = std::find_if(
      before.begin(), before.end(), [](std::string_view migration) {
        return migration.find("DROP TABLE notices") != migration.npos;
      });
  REQUIRE(ours != before.end());
  before.erase(ours, before.end());
  {
    auto old = Database::Open(path, before).value();
    REQUIRE_THAT(old->Query([](Database& db) {
      return db
          .Prepare(
              "INSERT INTO notices (uid, at, text, "
              "dismissed_at) VALUES (20001, 5, 'read', 6), "
              "(20001, 7, 'not yet', NULL)")
          .value()
          .Run();
    }),
                 IsOk());
  }
  FakeClock clock;
  auto database = Database::Open(path, Migrations()).value();
  const InboxPage page =
      Inbox(database.get(), &clock).List(kAda, 0, 10).value();
  REQUIRE(page.events.size() == 2);
  CHECK(page.events[0].text.text == "not yet");
  CHECK_FALSE(page.events[0].read);
  CHECK(page.events[0].kind == v1::NOTIFICATION_KIND_ACCOUNT);
  CHECK(page.events[0].at == absl::FromUnixMicros(7));
  CHECK(page.events[1].read);
  CHECK(page.unread == 1);
}

}  // namespace
}  // namespace carme::backend
