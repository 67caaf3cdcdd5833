#include "backend/audit/event_folder.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/audit/audit_world.h"

namespace carme {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

TEST_CASE("event folder: refusals that are alike are one, then their number",
          "[audit]") {
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

TEST_CASE("event folder: what differs is not folded", "[audit]") {
  EventFolder folder;
  CHECK(folder.Take(Refused("ada", "192.0.2.1"), kStart));
  CHECK(folder.Take(Refused("bob", "192.0.2.1"), kStart));
  CHECK(folder.Take(Refused("ada", "192.0.2.2"), kStart));
  AuditEvent other = Refused("ada", "192.0.2.1");
  other.result = "wrong code";
  CHECK(folder.Take(other, kStart));
}

TEST_CASE("event folder: what was allowed is never folded", "[audit]") {
  EventFolder folder;
  for (int i = 0; i < 1000; ++i) CHECK(folder.Take(Allowed("submit"), kStart));
  CHECK(folder.empty());
}

TEST_CASE("event folder: one address that tries many names", "[audit]") {
  EventFolder folder;
  size_t whole = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto event = Refused("name" + std::to_string(i), "192.0.2.1");
    if (folder.Take(event, kStart)) ++whole;
  }
  CHECK(whole == EventFolder::kMostOfOrigin + 1);
  // Somebody else is still told apart.
  CHECK(folder.Take(Refused("ada", "192.0.2.2"), kStart)->actor == "ada");
  const auto ended = folder.Ended(absl::InfiniteFuture());
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].result == "9939 more of this act since 08:00:00Z");
  CHECK(ended[0].actor.empty());
  CHECK(ended[0].source == "192.0.2.1");
}

TEST_CASE("event folder: many addresses with many names", "[audit]") {
  EventFolder folder;
  size_t whole = 0;
  const int all = 100000;
  for (int i = 0; i < all; ++i) {
    const auto event = Refused("name" + std::to_string(i % 7919),
                               "192.0.2." + std::to_string(i % 251));
    if (folder.Take(event, kStart)) ++whole;
  }
  CHECK(whole <= EventFolder::kMostInAll + 1);
  // None is missing: each was written or counted.
  int64_t counted = 0;
  for (const AuditEvent& event : folder.Ended(absl::InfiniteFuture())) {
    counted += std::stoll(event.result);
  }
  CHECK(counted + static_cast<int64_t>(whole) == all);
  CHECK(folder.empty());
}

TEST_CASE("event folder: a clock that is set back ends the minute", "[audit]") {
  EventFolder folder;
  folder.Take(Refused("ada", "192.0.2.1"), kStart);
  folder.Take(Refused("ada", "192.0.2.1"), kStart);
  CHECK(folder.Ended(kStart - absl::Hours(1)).size() == 1);
}

TEST_CASE("event folder: what is only counted is counted by act", "[audit]") {
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
}  // namespace carme
