// Announcements with a real database.
#include "backend/announcements/announcements.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

class FakeMemberships : public ProjectMemberships {
 public:
  absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(
      Uid uid, bool all) const override {
    if (!status_.ok()) return status_;
    std::vector<ProjectMembership> memberships;
    if (all || uid == Uid(1)) {
      memberships.push_back({.project = "p-1", .is_member = true});
    }
    if (uid == Uid(2)) {  // has asked to become a member
      memberships.push_back({.project = "p-1", .is_member = false});
    }
    return memberships;
  }
  absl::Status status_;
};

struct AnnouncingSite {
  AnnouncingSite() {
    directory.SetPerson("ada", Person{.username = "ada",
                                      .display_name = "Ada",
                                      .uid = Uid(1),
                                      .groups = {"chem"}});
    directory.SetPerson(
        "bob", Person{.username = "bob", .display_name = "Bob", .uid = Uid(2)});
    Restart();
  }
  void Restart() {
    announcements = nullptr;
    announcements = Announcements::Open({.database = database.get(),
                                         .clock = &clock,
                                         .person_lookup = &directory,
                                         .directory = &directory,
                                         .projects = &memberships})
                        .value();
  }
  v1::AnnouncementDetails Details(
      const std::string& title,
      v1::AnnouncementAudience audience = v1::ANNOUNCEMENT_AUDIENCE_EVERYONE,
      const std::string& name = "") const {
    v1::AnnouncementDetails details;
    v1::Announcement& announcement = *details.mutable_announcement();
    announcement.set_title(title);
    announcement.set_level(v1::ANNOUNCEMENT_LEVEL_INFO);
    announcement.mutable_ends_at()->set_seconds(
        absl::ToUnixSeconds(clock.Now() + absl::Hours(2)));
    details.set_audience(audience);
    details.set_audience_name(name);
    return details;
  }
  std::string Create(const v1::AnnouncementDetails& details) {
    const auto created = announcements->Create(details, "carol");
    REQUIRE_THAT(created, IsOk());
    return created->id;
  }
  static Session Reader(const std::string& name, uint32_t uid,
                        Role role = Role::kUser) {
    Session session;
    session.username = name;
    session.uid = Uid(uid);
    session.role = role;
    return session;
  }
  static std::string Titles(const std::vector<Announcement>& list) {
    std::string titles;
    for (const Announcement& announcement : list) {
      titles += (titles.empty() ? "" : " ") + announcement.title;
    }
    return titles;
  }
  std::string ShownTo(const std::string& name, uint32_t uid,
                      Role role = Role::kUser) const {
    return Titles(announcements->For(Reader(name, uid, role)));
  }

  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  FakeDirectory directory;
  FakeMemberships memberships;
  std::unique_ptr<Announcements> announcements;
};

TEST_CASE("announcements: refuse an unknown project or group", "[backend]") {
  AnnouncingSite site;
  CHECK_THAT(
      site.announcements->Create(
          site.Details("x", v1::ANNOUNCEMENT_AUDIENCE_PROJECT, "p-2"), "carol"),
      StatusIs(absl::StatusCode::kNotFound, "p-2"));
  const v1::AnnouncementDetails group =
      site.Details("x", v1::ANNOUNCEMENT_AUDIENCE_GROUP, "nosuchgroup");
  site.directory.SetFindGroup(
      [](const std::string&) { return absl::NotFoundError("no entry"); });
  CHECK_THAT(site.announcements->Create(group, "carol"),
             StatusIs(absl::StatusCode::kNotFound, "nosuchgroup"));
  site.directory.SetFindGroup(
      [](const std::string&) { return absl::UnavailableError("10.0.0.1"); });
  CHECK_THAT(
      site.announcements->Create(group, "carol"),
      StatusIs(absl::StatusCode::kUnavailable, "directory does not respond"));
  CHECK(site.announcements->All().empty());
}

TEST_CASE("announcements: refuse to change what does not exist", "[backend]") {
  AnnouncingSite site;
  v1::AnnouncementDetails details = site.Details("x");
  details.mutable_announcement()->set_id("nosuchid");
  CHECK_THAT(site.announcements->Update(details, "carol"),
             StatusIs(absl::StatusCode::kNotFound, "nosuchid"));
  CHECK_THAT(site.announcements->Delete("nosuchid"),
             StatusIs(absl::StatusCode::kNotFound, "nosuchid"));
}

TEST_CASE("announcements: refuse the 51st until one is deleted", "[backend]") {
  AnnouncingSite site;
  std::string last;
  for (int i = 0; i < 50; ++i) last = site.Create(site.Details("x"));
  CHECK_THAT(site.announcements->Create(site.Details("x"), "carol"),
             StatusIs(absl::StatusCode::kResourceExhausted, "50"));
  REQUIRE_THAT(site.announcements->Delete(last), IsOk());
  CHECK_THAT(site.announcements->Create(site.Details("x"), "carol"), IsOk());
}

TEST_CASE("announcements: each reader sees those of their audience",
          "[backend]") {
  AnnouncingSite site;
  site.Create(site.Details("all"));
  site.Create(site.Details("users", v1::ANNOUNCEMENT_AUDIENCE_USERS));
  site.Create(
      site.Details("project", v1::ANNOUNCEMENT_AUDIENCE_PROJECT, "p-1"));
  site.Create(
      site.Details("managers", v1::ANNOUNCEMENT_AUDIENCE_ROLE, "manager"));
  CHECK(AnnouncingSite::Titles(site.announcements->Public()) == "all");
  CHECK(site.ShownTo("ada", 1).find("project") != std::string::npos);
  CHECK(site.ShownTo("ada", 1).find("managers") == std::string::npos);
  CHECK(site.ShownTo("bob", 2).find("project") == std::string::npos);
  CHECK(site.ShownTo("bob", 2).find("users") != std::string::npos);
  CHECK(site.ShownTo("bob", 2, Role::kManager).find("managers") !=
        std::string::npos);
  CHECK(site.ShownTo("carol", 3, Role::kAdmin).find("managers") ==
        std::string::npos);
}

TEST_CASE("announcements: what is not known is not shown", "[backend]") {
  AnnouncingSite site;
  site.Create(
      site.Details("project", v1::ANNOUNCEMENT_AUDIENCE_PROJECT, "p-1"));
  site.Create(site.Details("group", v1::ANNOUNCEMENT_AUDIENCE_GROUP, "chem"));
  CHECK(site.ShownTo("ada", 1).size() == std::string("project group").size());
  // Another person of this name.
  CHECK(site.ShownTo("ada", 9).empty());
  site.memberships.status_ = absl::InternalError("no disk");
  CHECK(site.ShownTo("ada", 1) == "group");
  site.directory.SetPerson("ada", absl::UnavailableError("10.0.0.1"));
  CHECK(site.ShownTo("ada", 1).empty());
}

TEST_CASE(
    "announcements: are shown from their start until their end, after a "
    "restart too",
    "[backend]") {
  AnnouncingSite site;
  v1::AnnouncementDetails details = site.Details("later");
  details.mutable_announcement()->mutable_starts_at()->set_seconds(
      absl::ToUnixSeconds(site.clock.Now() + absl::Hours(1)));
  site.Create(details);
  CHECK(site.announcements->Public().empty());
  site.Restart();
  CHECK(site.announcements->All().size() == 1);
  site.clock.Advance(absl::Minutes(61));
  CHECK(AnnouncingSite::Titles(site.announcements->Public()) == "later");
  site.clock.Advance(absl::Minutes(60));
  CHECK(site.announcements->Public().empty());
}

TEST_CASE("announcements: warnings come first", "[backend]") {
  AnnouncingSite site;
  site.Create(site.Details("info"));
  v1::AnnouncementDetails warning = site.Details("warning");
  warning.mutable_announcement()->set_level(v1::ANNOUNCEMENT_LEVEL_WARNING);
  site.Create(warning);
  CHECK(AnnouncingSite::Titles(site.announcements->Public()) == "warning info");
}

TEST_CASE("announcements: a change replaces it and returns both", "[backend]") {
  AnnouncingSite site;
  v1::AnnouncementDetails details = site.Details("old");
  details.mutable_announcement()->set_id(site.Create(details));
  site.clock.Advance(absl::Minutes(1));
  details.mutable_announcement()->set_title("new");
  const auto change = site.announcements->Update(details, "sam");
  REQUIRE_THAT(change, IsOk());
  CHECK(change->before.title == "old");
  CHECK(change->after.title == "new");
  CHECK(change->after.set_by == "sam");
  CHECK(change->after.set_at > change->before.set_at);
  CHECK(AnnouncingSite::Titles(site.announcements->All()) == "new");
}

}  // namespace
}  // namespace carme::backend
