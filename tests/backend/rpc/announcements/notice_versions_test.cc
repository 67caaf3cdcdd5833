#include "backend/rpc/announcements/notice_versions.h"

#include <memory>
#include <vector>

#include "tests/backend/notifications/notification_fixture.h"

namespace carme::backend {
namespace {

struct Portal : NotificationFixture {
  // Without what only groups, projects and reservations need.
  const std::unique_ptr<Announcements> announcements =
      Announcements::Open({.database = database.get(),
                           .clock = &clock,
                           .person_lookup = nullptr,
                           .directory = nullptr,
                           .projects = nullptr})
          .value();
  const std::unique_ptr<Maintenance> maintenance =
      Maintenance::Open({.database = database.get(),
                         .clock = &clock,
                         .reserver = nullptr,
                         .audit = nullptr})
          .value();

  NoticeVersions versions{{.database = database.get(),
                           .clock = &clock,
                           .inbox = &inbox,
                           .announcements = announcements.get(),
                           .maintenance = maintenance.get()}};

  uint64_t Version() {
    versions.Refresh();
    return versions.For(kAda);
  }
  void AddAnnouncement(absl::Duration starts_in) {
    v1::AnnouncementDetails details;
    v1::Announcement& announcement = *details.mutable_announcement();
    announcement.set_title("New GPUs");
    announcement.set_level(v1::ANNOUNCEMENT_LEVEL_INFO);
    announcement.mutable_starts_at()->set_seconds(
        absl::ToUnixSeconds(clock.Now() + starts_in));
    announcement.mutable_ends_at()->set_seconds(
        absl::ToUnixSeconds(clock.Now() + absl::Hours(2)));
    details.set_audience(v1::ANNOUNCEMENT_AUDIENCE_EVERYONE);
    REQUIRE_THAT(announcements->Create(details, "carol"), IsOk());
  }
};

TEST_CASE("notice versions: are not known before the first look", "[backend]") {
  Portal portal;
  CHECK(portal.versions.For(kAda) == 0);
  CHECK(portal.Version() != 0);
}

TEST_CASE("notice versions: stay the same while nothing changes", "[backend]") {
  Portal portal;
  portal.Fail(kAda, "Your job has failed.");
  portal.AddAnnouncement(-absl::Minutes(1));
  const uint64_t version = portal.Version();
  portal.clock.Advance(absl::Minutes(1));
  CHECK_FALSE(portal.versions.Refresh());
  CHECK(portal.Version() == version);
  portal.Fail(kBob, "Bob's job has failed.");
  CHECK(portal.versions.Refresh());
  CHECK(portal.Version() == version);
}

TEST_CASE("notice versions: change with each thing that is new", "[backend]") {
  Portal portal;
  uint64_t version = portal.Version();
  const auto start_maintenance = [&](absl::Duration in) {
    REQUIRE_THAT(portal.maintenance->Start(
                     {"carol", Uid(20003)},
                     {.message = "New storage",
                      .starts_at = portal.clock.Now() + in,
                      .ends_at = portal.clock.Now() + absl::Hours(2)},
                     "r1"),
                 IsOk());
  };
  SECTION("a notification") { portal.Fail(kAda, "Your job has failed."); }
  SECTION("an announcement") { portal.AddAnnouncement(-absl::Minutes(1)); }
  SECTION("an announcement whose time has come") {
    portal.AddAnnouncement(absl::Minutes(1));
    CHECK(portal.Version() == version);
    portal.clock.Advance(absl::Minutes(2));
  }
  SECTION("a maintenance") { start_maintenance(absl::Hours(1)); }
  SECTION("a maintenance that begins") {
    start_maintenance(absl::Hours(1));
    version = portal.Version();
    portal.clock.Advance(absl::Minutes(61));
  }
  CHECK(portal.versions.Refresh());
  CHECK(portal.versions.For(kAda) != version);
}

TEST_CASE("notice versions: change when notifications are read elsewhere",
          "[backend]") {
  Portal portal;
  portal.Fail(kAda, "Your job has failed.");
  const uint64_t version = portal.Version();
  REQUIRE_THAT(portal.inbox.MarkRead(kAda, {}, portal.Of(kAda)[0].id), IsOk());
  CHECK(portal.Version() != version);
}

}  // namespace
}  // namespace carme::backend
