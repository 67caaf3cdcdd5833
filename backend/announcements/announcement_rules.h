// Announcements as plain values, and pure functions about them.
#ifndef CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENT_RULES_H_
#define CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENT_RULES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/announcement.pb.h"

namespace carme::backend {

struct Announcement {
  std::string id{};
  std::string title{};
  std::string text{};  // Markdown, as written
  v1::AnnouncementLevel level = v1::ANNOUNCEMENT_LEVEL_UNSPECIFIED;
  v1::AnnouncementAudience audience = v1::ANNOUNCEMENT_AUDIENCE_UNSPECIFIED;
  std::string audience_name{};  // as in the proto
  absl::Time starts_at{};
  absl::Time ends_at{};
  std::string set_by{};
  absl::Time set_at{};
  friend bool operator==(const Announcement&, const Announcement&) = default;
};

// The announcement that `details` describes, with the id of `replaced`, set at
// `now` by `administrator`. Whether a project or group exists is not checked.
// INVALID_ARGUMENT.
absl::StatusOr<Announcement> CheckAnnouncement(
    const v1::AnnouncementDetails& details, const std::string& administrator,
    const std::optional<Announcement>& replaced, absl::Time now);

bool IsShown(const Announcement& announcement, absl::Time now);

// For the audit log: all but the id, on one line.
std::string AuditedText(const Announcement& announcement);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ANNOUNCEMENTS_ANNOUNCEMENT_RULES_H_
