#include "backend/notifications/event.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "backend/notifications/channel.h"
#include "carme/v1/jobs.pb.h"
#include "tests/backend/notifications/told.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

// By which ways the newest of somebody's goes.
std::vector<Channel> ChannelsOfNewest(Told& told, Uid uid) {
  std::vector<Channel> channels;
  const InboxEvent newest = told.Of(uid).at(0);
  for (const InboxDelivery& one : newest.deliveries) {
    channels.push_back(one.channel);
  }
  return channels;
}

const std::vector<Channel> kNone = {};
const std::vector<Channel> kMailOnly = {Channel::kMail};
const std::vector<Channel> kBoth = {Channel::kMail, Channel::kWebhook};

TEST_CASE("event: of a transaction that fails nobody is told", "[backend]") {
  Told told;
  told.OfferAll();
  const absl::Status failed =
      told.database->Transact([&](Database& db) -> absl::Status {
        REQUIRE(PostEvent(db,
                          {.uid = kAda,
                           .kind = EventKind::kAccount,
                           .text = "a factor is gone"},
                          told.clock.Now())
                    .ok());
        return absl::InternalError("the factor stays");
      });
  CHECK_FALSE(failed.ok());
  CHECK(told.Of(kAda).empty());
  CHECK_FALSE(told.TakeMail());
}

TEST_CASE("event: one of a key is told once, of each person", "[backend]") {
  Told told;
  told.Fail(kAda, "first", "job:1:ended");
  told.Fail(kAda, "again", "job:1:ended");
  told.Fail(kAda, "another", "job:2:ended");
  told.Fail(kBob, "bob's", "job:1:ended");
  REQUIRE(told.Of(kAda).size() == 2);
  CHECK(told.Of(kAda)[0].text == "another");
  CHECK(told.Of(kAda)[1].text == "first");
  CHECK(told.Of(kBob).size() == 1);
}

TEST_CASE("event: nobody buries what is about an account", "[backend]") {
  Told told;
  REQUIRE(told.Post({.uid = kAda,
                     .kind = EventKind::kAccount,
                     .text = "a recovery code was used"})
              .ok());
  told.Fail(kAda, "the oldest");
  for (int i = 0; i < kMostEvents; ++i) told.Fail(kAda, "noise");
  const auto events = told.Of(kAda);
  CHECK(events.size() == kMostEvents + 1);
  CHECK(events.back().text == "a recovery code was used");
  for (int i = 0; i < kMostAccountEvents + 3; ++i) {
    REQUIRE(told.Post({.uid = kAda,
                       .kind = EventKind::kAccount,
                       .text = "another code"})
                .ok());
  }
  CHECK(told.Of(kAda).size() == kMostEvents + kMostAccountEvents);
}

TEST_CASE("event: a text is one line of a bounded length", "[backend]") {
  Told told;
  told.Fail(kAda, "one\r\nBcc: eve@example.org\n" + std::string(5000, 'x'));
  const std::string text = told.Of(kAda).at(0).text;
  CHECK(text.find('\n') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.size() <= 1000);
}

TEST_CASE("event: it goes by the ways that the site offers", "[backend]") {
  Told told;
  told.Fail(kAda, "nothing is offered");
  CHECK(ChannelsOfNewest(told, kAda) == kNone);
  told.OfferAll();
  told.Fail(kAda, "no webhook");
  CHECK(ChannelsOfNewest(told, kAda) == kMailOnly);
  REQUIRE(
      told.preferences.SetWebhook(kAda, "ada", "https://a.example/", "s").ok());
  told.Fail(kAda, "both");
  CHECK(ChannelsOfNewest(told, kAda) == kBoth);
  REQUIRE(told.preferences.Offer({}).ok());
  told.Fail(kAda, "nothing again");
  CHECK(ChannelsOfNewest(told, kAda) == kNone);
}

TEST_CASE("event: what was not chosen stays in the page", "[backend]") {
  Told told;
  told.OfferAll();
  REQUIRE(told.Post({.uid = kAda, .kind = EventKind::kJobStarted, .text = "a"})
              .ok());
  CHECK(ChannelsOfNewest(told, kAda) == kNone);  // not unless it is asked for
  KindSet started;
  started.Add(EventKind::kJobStarted);
  REQUIRE(told.preferences.Choose(kAda, Channel::kMail, started).ok());
  told.Fail(kAda, "not chosen any more");
  CHECK(ChannelsOfNewest(told, kAda) == kNone);
  REQUIRE(told.Post({.uid = kAda, .kind = EventKind::kJobStarted, .text = "b"})
              .ok());
  CHECK(ChannelsOfNewest(told, kAda) == kMailOnly);
  told.Fail(kBob, "bob chose nothing");
  CHECK(ChannelsOfNewest(told, kBob) == kMailOnly);
}

TEST_CASE("event: what is about an account is always mailed", "[backend]") {
  Told told;
  told.OfferAll();
  REQUIRE(told.preferences.Choose(kAda, Channel::kMail, KindSet()).ok());
  REQUIRE(told.preferences.Choose(kAda, Channel::kWebhook, KindSet()).ok());
  REQUIRE(
      told.preferences.SetWebhook(kAda, "ada", "https://a.example/", "s").ok());
  REQUIRE(
      told.Post({.uid = kAda, .kind = EventKind::kAccount, .text = "a"}).ok());
  CHECK(ChannelsOfNewest(told, kAda) == kMailOnly);
}

TEST_CASE("event: a job may ask for more than its user chose", "[backend]") {
  Told told;
  told.OfferAll();
  REQUIRE(told.preferences.Choose(kAda, Channel::kMail, KindSet()).ok());
  v1::JobSpec spec;
  spec.add_notify(v1::JOB_EVENT_STARTED);
  REQUIRE(told.database
              ->Transact([&](Database& db) -> absl::Status {
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
              })
              .ok());
  const auto post = [&](Uid uid, EventKind kind) {
    REQUIRE(
        told.Post({.uid = uid, .kind = kind, .subject = "job1", .text = "x"})
            .ok());
    return ChannelsOfNewest(told, uid);
  };
  CHECK(post(kAda, EventKind::kJobEnded) == kNone);
  CHECK(post(kAda, EventKind::kJobStarted) == kMailOnly);
  CHECK(post(kBob, EventKind::kJobStarted) == kNone);  // it is not bob's
}

TEST_CASE("event: a test goes by one way, once a minute", "[backend]") {
  Told told;
  told.OfferAll();
  const auto test = [&] {
    return told.database->Transact([&](Database& db) {
      return PostTest(db, kAda, Channel::kMail, told.clock.Now()).status();
    });
  };
  CHECK(test().ok());
  CHECK(ChannelsOfNewest(told, kAda) == kMailOnly);
  CHECK(absl::IsResourceExhausted(test()));
  told.clock.Advance(absl::Minutes(1));
  CHECK(test().ok());
}

TEST_CASE("inbox: what is read is one's own, and up to what one saw",
          "[backend]") {
  Told told;
  for (const char* text : {"a", "b", "c", "d"}) told.Fail(kAda, text);
  told.Fail(kBob, "bob's");
  const auto events = told.Of(kAda);
  CHECK(told.inbox.MarkRead(kBob, {events[3].id}, events[0].id).value() == 1);
  CHECK(told.inbox.MarkRead(kAda, {events[3].id}, 0).value() == 3);
  CHECK(told.Of(kAda)[3].read);
  told.Fail(kAda, "came meanwhile");
  CHECK(told.inbox.MarkRead(kAda, {}, events[0].id).value() == 1);
  CHECK_FALSE(told.Of(kAda)[0].read);
}

TEST_CASE("inbox: pages follow each other", "[backend]") {
  Told told;
  for (const char* text : {"a", "b", "c"}) told.Fail(kAda, text);
  const InboxPage first = told.inbox.List(kAda, 0, 2).value();
  REQUIRE(first.events.size() == 2);
  CHECK(first.more);
  CHECK(first.unread == 3);
  const InboxPage rest =
      told.inbox.List(kAda, first.events.back().id, 2).value();
  REQUIRE(rest.events.size() == 1);
  CHECK(rest.events[0].text == "a");
  CHECK_FALSE(rest.more);
}

TEST_CASE("inbox: what is old is forgotten", "[backend]") {
  Told told;
  told.Fail(kAda, "old");
  told.clock.Advance(Inbox::kKept + absl::Hours(1));
  told.Fail(kAda, "new");
  told.inbox.Sweep();
  REQUIRE(told.Of(kAda).size() == 1);
  CHECK(told.Of(kAda)[0].text == "new");
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
    REQUIRE(old->Query([](Database& db) {
                 return db
                     .Prepare(
                         "INSERT INTO notices (uid, at, text, "
                         "dismissed_at) VALUES (20001, 5, 'read', 6), "
                         "(20001, 7, 'not yet', NULL)")
                     .value()
                     .Run();
               })
                .ok());
  }
  FakeClock clock;
  auto database = Database::Open(path, Migrations()).value();
  const InboxPage page =
      Inbox(database.get(), &clock).List(kAda, 0, 10).value();
  REQUIRE(page.events.size() == 2);
  CHECK(page.events[0].text == "not yet");
  CHECK_FALSE(page.events[0].read);
  CHECK(page.events[0].kind == EventKind::kAccount);
  CHECK(page.events[0].at == absl::FromUnixMicros(7));
  CHECK(page.events[1].read);
  CHECK(page.unread == 1);
}

}  // namespace
}  // namespace carme::backend
