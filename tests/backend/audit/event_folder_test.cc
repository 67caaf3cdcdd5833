#include "backend/audit/event_folder.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/audit/audit_world.h"

namespace carme::backend {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

TEST_CASE("event folder: counts equal refusals", "[audit]") {
  EventFolder folder;
  CHECK(folder.Take(Refused("ada", "192.0.2.1"), kStart));
  for (int i = 0; i < 1000; ++i) {
    AuditEvent again = Refused("ada", "192.0.2.1");
    again.request_id = std::to_string(i);
    CHECK_FALSE(folder.Take(again, kStart + absl::Milliseconds(i)));
  }
  CHECK(folder.Ended(kStart + absl::Seconds(59)).empty());
  const auto ended = folder.Ended(kStart + absl::Seconds(60));
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].result ==
        "1000 more like this since 08:00:00Z: wrong password");
  CHECK(ended[0].actor == "ada");
  CHECK(ended[0].source == "192.0.2.1");
  CHECK(folder.empty());
}

TEST_CASE("event folder: one refusal leaves one entry", "[audit]") {
  EventFolder folder;
  CHECK(folder.Take(Refused("ada", "192.0.2.1"), kStart));
  CHECK(folder.Ended(absl::InfiniteFuture()).empty());
  CHECK(folder.Take(Refused("ada", "192.0.2.1"), kStart));
}

TEST_CASE("event folder: different events are not folded", "[audit]") {
  EventFolder folder;
  CHECK(folder.Take(Refused("ada", "192.0.2.1"), kStart));
  CHECK(folder.Take(Refused("bob", "192.0.2.1"), kStart));
  CHECK(folder.Take(Refused("ada", "192.0.2.2"), kStart));
  AuditEvent other = Refused("ada", "192.0.2.1");
  other.result = "wrong code";
  CHECK(folder.Take(other, kStart));
}

TEST_CASE("event folder: log-ins, changes and submissions are never folded",
          "[audit]") {
  EventFolder folder;
  for (const char* act :
       {"log-in", "log-out", "fresh-factor", "reset-factors", "create-token",
        "add-factor", "change-password", "export-audit", "verify-audit"}) {
    for (int i = 0; i < 1000; ++i) CHECK(folder.Take(Allowed(act), kStart));
  }
  for (int i = 0; i < 1000; ++i) {
    AuditEvent submission = Allowed("submit");
    submission.subject = "job" + std::to_string(i);
    CHECK(folder.Take(submission, kStart)->subject == submission.subject);
  }
  CHECK(folder.Ended(absl::InfiniteFuture()).empty());
}

TEST_CASE("event folder: repeated operations without effect are one entry",
          "[audit]") {
  for (const char* act : {"open-app", "cancel", "submit", "register-agent"}) {
    EventFolder folder;
    CHECK(folder.Take(Allowed(act), kStart));
    for (int i = 0; i < 1000; ++i) {
      AuditEvent again = Allowed(act);
      again.request_id = std::to_string(i);
      CHECK_FALSE(folder.Take(again, kStart));
    }
    AuditEvent other = Allowed(act);
    other.subject = "another job";
    CHECK(folder.Take(other, kStart));
    other.actor_uid = Uid(20002);
    CHECK(folder.Take(other, kStart));
    const auto ended = folder.Ended(absl::InfiniteFuture());
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].decision == AuditDecision::kAllow);
    CHECK(ended[0].result == "1000 more like this since 08:00:00Z: ok");
    CHECK(ended[0].subject == "k3");
  }
}

TEST_CASE("event folder: operations of the backend are never folded",
          "[audit]") {
  EventFolder folder;
  const AuditEvent orphan{.act = "cancel",
                          .actor = "carme-backend",
                          .subject = "k3",
                          .decision = AuditDecision::kAllow};
  for (int i = 0; i < 1000; ++i) CHECK(folder.Take(orphan, kStart));
}

TEST_CASE("event folder: one address that tries many names", "[audit]") {
  EventFolder folder;
  int whole = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto event = Refused("name" + std::to_string(i), "192.0.2.1");
    if (folder.Take(event, kStart)) ++whole;
  }
  CHECK(whole == EventFolder::kSlotsPerOrigin + 1);
  // Other users are still distinguished.
  CHECK(folder.Take(Refused("ada", "192.0.2.2"), kStart)->actor == "ada");
  const auto ended = folder.Ended(absl::InfiniteFuture());
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].result == "9969 more of this act since 08:00:00Z");
  CHECK(ended[0].actor.empty());
  CHECK(ended[0].source == "192.0.2.1");
}

// How many entries `count` refusals become that all differ, over `time`.
int EntriesOf(int count, absl::Duration time, AuditEvent like) {
  EventFolder folder;
  int entries = 0;
  int64_t counted = 0;
  for (int i = 0; i < count; ++i) {
    const absl::Time now = kStart + time * i / count;
    like.subject = "name" + std::to_string(i);
    like.source = "192.0.2." + std::to_string(i % 251);
    if (folder.Take(like, now)) ++entries;
    for (const AuditEvent& event : folder.Ended(now)) {
      counted += std::stoll(event.result);
      ++entries;
    }
  }
  int whole = entries;
  for (const AuditEvent& event : folder.Ended(absl::InfiniteFuture())) {
    counted += std::stoll(event.result);
    ++whole;
  }
  CHECK(folder.empty());
  CHECK(counted <= count);
  return whole;
}

TEST_CASE("event folder: many addresses with many names", "[audit]") {
  EventFolder folder;
  int whole = 0;
  const int all = 100000;
  for (int i = 0; i < all; ++i) {
    const auto event = Refused("name" + std::to_string(i % 7919),
                               "192.0.2." + std::to_string(i % 251));
    if (folder.Take(event, kStart)) ++whole;
  }
  CHECK(whole <= EventFolder::kSlotsPerAct + 1);
  // None is missing: each was written or counted.
  int64_t counted = 0;
  for (const AuditEvent& event : folder.Ended(absl::InfiniteFuture())) {
    counted += std::stoll(event.result);
  }
  CHECK(counted + whole == all);
  CHECK(folder.empty());
}

TEST_CASE("event folder: a flood of hours leaves few entries a minute",
          "[audit]") {
  // A place comes back every ten seconds; each leaves an entry, and may leave
  // one more when its minute ends.
  const int hours = EntriesOf(200000, absl::Hours(2), Refused("", ""));
  CHECK(hours < 60 + 120 * 14);
  AuditEvent of_ada = Allowed("submit");
  of_ada.decision = AuditDecision::kRefuse;
  CHECK(EntriesOf(200000, absl::Hours(2), of_ada) < 30 + 120 * 14);
}

TEST_CASE("event folder: unauthenticated clients do not displace other entries",
          "[audit]") {
  EventFolder folder;
  for (int i = 0; i < 100000; ++i) {
    AuditEvent event = Refused("", "192.0.2." + std::to_string(i % 251));
    event.act = "call";
    event.subject = std::to_string(i);
    folder.Take(event, kStart);
  }
  // Not from a log-in, from no address, and not from a person.
  CHECK(folder.Take(Refused("ada", "192.0.2.1"), kStart)->actor == "ada");
  AuditEvent of_ada = Allowed("call");
  of_ada.decision = AuditDecision::kRefuse;
  of_ada.source = "192.0.2.1";
  CHECK(folder.Take(of_ada, kStart)->actor == "ada");
}

TEST_CASE("event folder: a user does not use another user's slots", "[audit]") {
  EventFolder folder;
  AuditEvent event = Allowed("submit");
  event.decision = AuditDecision::kRefuse;
  for (int i = 0; i < 100000; ++i) {
    event.result = "no " + std::to_string(i);
    event.session_id = "s" + std::to_string(i);
    folder.Take(event, kStart);
  }
  event.actor = "bob";
  event.actor_uid = Uid(20002);
  CHECK(folder.Take(event, kStart)->actor == "bob");
  const auto ended = folder.Ended(absl::InfiniteFuture());
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].actor == "ada");
  CHECK(ended[0].actor_uid == Uid(20001));
}

TEST_CASE("event folder: a clock that is set back ends the minute", "[audit]") {
  EventFolder folder;
  folder.Take(Refused("ada", "192.0.2.1"), kStart);
  folder.Take(Refused("ada", "192.0.2.1"), kStart);
  CHECK(folder.Ended(kStart - absl::Hours(1)).size() == 1);
  // And gives the places back.
  for (int i = 0; i < EventFolder::kSlotsPerOrigin; ++i) {
    AuditEvent event = Refused("name" + std::to_string(i), "192.0.2.1");
    folder.Take(event, kStart);
  }
  folder.Ended(kStart - absl::Hours(1));
  const auto again = Refused("ada", "192.0.2.1");
  folder.Take(Refused("bob", "192.0.2.1"), kStart - absl::Hours(1));
  CHECK(folder.Take(again, kStart - absl::Hours(1))->actor == "ada");
}

TEST_CASE("event folder: surplus events are counted by operation", "[audit]") {
  EventFolder folder;
  folder.Count(Allowed("log-out"), kStart);
  folder.Count(Allowed("log-out"), kStart);
  const auto ended = folder.Ended(absl::InfiniteFuture());
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].act == "log-out");
  CHECK(ended[0].decision == AuditDecision::kAllow);
  CHECK(ended[0].result == "2 more of this act since 08:00:00Z");
}

}  // namespace
}  // namespace carme::backend
