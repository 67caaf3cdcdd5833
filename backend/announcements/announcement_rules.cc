#include "backend/announcements/announcement_rules.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "backend/announcements/messages.h"
#include "backend/identity/role.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxTitle = 120;
constexpr size_t kMaxText = 4000;
constexpr size_t kMaxAudienceName = 256;
constexpr absl::Duration kLongest = absl::Hours(24 * 365);
constexpr int64_t kMaxSeconds = 253402300799;  // Timestamp's

absl::Status CheckTitle(const std::string& title) {
  const std::optional<size_t> length =
      IsUtf8(title) ? PrintableLength(title) : std::nullopt;
  if (!length || *length > kMaxTitle ||
      title.find_first_not_of(' ') == std::string::npos) {
    return MakeError(announcement_messages::kTitleInvalid,
                     {{"max", kMaxTitle}});
  }
  return absl::OkStatus();
}

absl::Status CheckText(const std::string& text) {
  bool valid = text.size() <= kMaxText && IsUtf8(text);
  if (valid) {
    const std::vector<std::string> lines = absl::StrSplit(text, '\n');
    valid = std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
      return PrintableLength(line).has_value();
    });
  }
  if (valid) return absl::OkStatus();
  return MakeError(announcement_messages::kTextInvalid, {{"max", kMaxText}});
}

absl::Status CheckAudience(const v1::AnnouncementDetails& details) {
  const std::string& name = details.audience_name();
  bool valid = false;
  switch (details.audience()) {
    case v1::ANNOUNCEMENT_AUDIENCE_EVERYONE:
    case v1::ANNOUNCEMENT_AUDIENCE_USERS:
      valid = name.empty();
      break;
    case v1::ANNOUNCEMENT_AUDIENCE_PROJECT:
    case v1::ANNOUNCEMENT_AUDIENCE_GROUP:
      valid = !name.empty() && name.size() <= kMaxAudienceName &&
              IsUtf8(name) && PrintableLength(name).has_value();
      break;
    case v1::ANNOUNCEMENT_AUDIENCE_ROLE:
      if (name != RoleName(RoleNamed(name))) {
        return MakeError(announcement_messages::kRoleInvalid);
      }
      valid = true;
      break;
    default:
      break;
  }
  if (valid) return absl::OkStatus();
  return MakeError(announcement_messages::kAudienceInvalid);
}

absl::StatusOr<absl::Time> TimeOf(const char* field,
                                  const google::protobuf::Timestamp& time) {
  if (time.seconds() > 0 && time.seconds() <= kMaxSeconds) {
    return absl::FromUnixSeconds(time.seconds());
  }
  return MakeError(announcement_messages::kTimeInvalid, {{"field", field}});
}

absl::Status CheckTimes(const Announcement& announcement, absl::Time now) {
  if (announcement.starts_at > now + kLongest) {
    return MakeError(announcement_messages::kStartTooFar);
  }
  if (announcement.ends_at <= now ||
      announcement.ends_at <= announcement.starts_at) {
    return MakeError(announcement_messages::kEndInvalid);
  }
  if (announcement.ends_at > announcement.starts_at + kLongest) {
    return MakeError(announcement_messages::kEndTooFar);
  }
  return absl::OkStatus();
}

std::string UtcText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%MZ", time, absl::UTCTimeZone());
}

// "everyone", "project p-1".
std::string AudienceText(const Announcement& announcement) {
  const std::string& name = announcement.audience_name;
  switch (announcement.audience) {
    case v1::ANNOUNCEMENT_AUDIENCE_EVERYONE:
      return "everyone";
    case v1::ANNOUNCEMENT_AUDIENCE_USERS:
      return "users";
    case v1::ANNOUNCEMENT_AUDIENCE_PROJECT:
      return absl::StrCat("project ", name);
    case v1::ANNOUNCEMENT_AUDIENCE_GROUP:
      return absl::StrCat("group ", name);
    case v1::ANNOUNCEMENT_AUDIENCE_ROLE:
      return absl::StrCat("role ", name);
    default:
      return "unknown";
  }
}

}  // namespace

absl::StatusOr<Announcement> CheckAnnouncement(
    const v1::AnnouncementDetails& details, const std::string& administrator,
    const std::optional<Announcement>& replaced, absl::Time now) {
  const v1::Announcement& message = details.announcement();
  RETURN_IF_ERROR(CheckTitle(message.title()));
  RETURN_IF_ERROR(CheckText(message.text()));
  if (message.level() != v1::ANNOUNCEMENT_LEVEL_INFO &&
      message.level() != v1::ANNOUNCEMENT_LEVEL_WARNING) {
    return MakeError(announcement_messages::kLevelInvalid);
  }
  RETURN_IF_ERROR(CheckAudience(details));
  const absl::Time set_at = absl::FromUnixSeconds(absl::ToUnixSeconds(now));
  Announcement announcement{
      .id = replaced ? replaced->id : "",
      .title = message.title(),
      .text = message.text(),
      .level = message.level(),
      .audience = details.audience(),
      .audience_name = details.audience_name(),
      .starts_at = replaced ? replaced->starts_at : set_at,
      .set_by = administrator,
      .set_at = set_at};
  if (message.has_starts_at()) {
    ASSIGN_OR_RETURN(announcement.starts_at,
                     TimeOf("startsAt", message.starts_at()));
  }
  ASSIGN_OR_RETURN(announcement.ends_at, TimeOf("endsAt", message.ends_at()));
  RETURN_IF_ERROR(CheckTimes(announcement, now));
  return announcement;
}

bool IsShown(const Announcement& announcement, absl::Time now) {
  return announcement.starts_at <= now && now < announcement.ends_at;
}

std::string AuditedText(const Announcement& announcement) {
  return absl::StrCat(
      announcement.level == v1::ANNOUNCEMENT_LEVEL_WARNING ? "warning" : "info",
      " for ", AudienceText(announcement), ", ",
      UtcText(announcement.starts_at), " to ", UtcText(announcement.ends_at),
      ", \"", announcement.title,
      "\": ", absl::StrReplaceAll(announcement.text, {{"\n", " / "}}));
}

}  // namespace carme::backend
