#include "backend/announcements/announcement_rules.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

v1::AnnouncementDetails Valid() {
  v1::AnnouncementDetails details;
  v1::Announcement& announcement = *details.mutable_announcement();
  announcement.set_title("New storage");
  announcement.set_text("Files move on **Friday**.\n\n- first `home`");
  announcement.set_level(v1::ANNOUNCEMENT_LEVEL_INFO);
  announcement.mutable_ends_at()->set_seconds(
      absl::ToUnixSeconds(kNow + absl::Hours(2)));
  details.set_audience(v1::ANNOUNCEMENT_AUDIENCE_EVERYONE);
  return details;
}

absl::StatusOr<Announcement> Check(
    const v1::AnnouncementDetails& details,
    const std::optional<Announcement>& replaced = std::nullopt) {
  return CheckAnnouncement(details, "carol", replaced, kNow);
}

void SetSeconds(absl::Time time, google::protobuf::Timestamp* message) {
  message->set_seconds(absl::ToUnixSeconds(time));
}

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST_CASE("announcement: refuses a title that is empty, long or unsafe",
          "[backend]") {
  for (const std::string& title :
       {std::string(), std::string("   "), std::string(121, 'x'),
        std::string("a\nb"), std::string("a\x1b[31m"), std::string("\xff"),
        std::string("a\xe2\x80\xae"
                    "b")}) {
    INFO(title);
    v1::AnnouncementDetails details = Valid();
    details.mutable_announcement()->set_title(title);
    CHECK_THAT(Check(details), StatusIs(kInvalid, "title"));
  }
}

TEST_CASE("announcement: refuses a text that is long or unsafe", "[backend]") {
  for (const std::string& text :
       {std::string(4001, 'x'), std::string("a\rb"), std::string("a\tb"),
        std::string("a\0b", 3), std::string("\xff"),
        std::string("a\xe2\x80\xae"
                    "b")}) {
    INFO(text);
    v1::AnnouncementDetails details = Valid();
    details.mutable_announcement()->set_text(text);
    CHECK_THAT(Check(details), StatusIs(kInvalid, "text"));
  }
}

TEST_CASE("announcement: refuses an unknown level or audience", "[backend]") {
  v1::AnnouncementDetails details = Valid();
  details.mutable_announcement()->clear_level();
  CHECK_THAT(Check(details), StatusIs(kInvalid, "level"));
  details = Valid();
  details.mutable_announcement()->set_level(v1::AnnouncementLevel(9));
  CHECK_THAT(Check(details), StatusIs(kInvalid, "level"));
  details = Valid();
  details.clear_audience();
  CHECK_THAT(Check(details), StatusIs(kInvalid, "audience"));
  details.set_audience(v1::AnnouncementAudience(9));
  CHECK_THAT(Check(details), StatusIs(kInvalid, "audience"));
}

TEST_CASE(
    "announcement: refuses a name where none belongs, and none where one "
    "does",
    "[backend]") {
  v1::AnnouncementDetails details = Valid();
  details.set_audience_name("chem");
  CHECK_THAT(Check(details), StatusIs(kInvalid, "audience"));
  for (const auto audience :
       {v1::ANNOUNCEMENT_AUDIENCE_PROJECT, v1::ANNOUNCEMENT_AUDIENCE_GROUP}) {
    details.set_audience(audience);
    details.clear_audience_name();
    CHECK_THAT(Check(details), StatusIs(kInvalid, "audience"));
    details.set_audience_name("a\nb");
    CHECK_THAT(Check(details), StatusIs(kInvalid, "audience"));
    details.set_audience_name("chem");
    CHECK_THAT(Check(details), IsOk());
  }
  details.set_audience(v1::ANNOUNCEMENT_AUDIENCE_ROLE);
  CHECK_THAT(Check(details), StatusIs(kInvalid, "audienceName"));
  details.set_audience_name("manager");
  CHECK_THAT(Check(details), IsOk());
}

TEST_CASE("announcement: refuses times that make no sense", "[backend]") {
  v1::AnnouncementDetails details = Valid();
  v1::Announcement& announcement = *details.mutable_announcement();
  announcement.clear_ends_at();
  CHECK_THAT(Check(details), StatusIs(kInvalid, "endsAt"));
  SetSeconds(kNow - absl::Seconds(1), announcement.mutable_ends_at());
  CHECK_THAT(Check(details), StatusIs(kInvalid, "endsAt"));
  announcement.mutable_ends_at()->set_seconds(INT64_MAX);
  CHECK_THAT(Check(details), StatusIs(kInvalid, "endsAt"));
  SetSeconds(kNow + absl::Hours(24 * 366), announcement.mutable_ends_at());
  CHECK_THAT(Check(details), StatusIs(kInvalid, "endsAt"));
  SetSeconds(kNow + absl::Hours(24 * 366), announcement.mutable_starts_at());
  SetSeconds(kNow + absl::Hours(24 * 367), announcement.mutable_ends_at());
  CHECK_THAT(Check(details), StatusIs(kInvalid, "startsAt"));
  SetSeconds(kNow + absl::Hours(3), announcement.mutable_starts_at());
  SetSeconds(kNow + absl::Hours(2), announcement.mutable_ends_at());
  CHECK_THAT(Check(details), StatusIs(kInvalid, "endsAt"));
}

TEST_CASE("announcement: begins now, or when the replaced one begins",
          "[backend]") {
  const auto created = Check(Valid());
  REQUIRE_THAT(created, IsOk());
  CHECK(created->starts_at == kNow);
  CHECK(created->set_by == "carol");
  CHECK(IsShown(*created, kNow));
  CHECK_FALSE(IsShown(*created, kNow - absl::Seconds(1)));
  CHECK_FALSE(IsShown(*created, created->ends_at));
  Announcement old = *created;
  old.id = "a-1";
  old.starts_at = kNow - absl::Hours(5);
  const auto changed = Check(Valid(), old);
  REQUIRE_THAT(changed, IsOk());
  CHECK(changed->id == "a-1");
  CHECK(changed->starts_at == old.starts_at);
}

TEST_CASE("announcement: the audit log has it on one line", "[backend]") {
  CHECK(AuditedText(Check(Valid()).value()) ==
        "info for everyone, 2027-01-15T08:00Z to 2027-01-15T10:00Z, "
        "\"New storage\": Files move on **Friday**. /  / - first `home`");
}

}  // namespace
}  // namespace carme::backend
