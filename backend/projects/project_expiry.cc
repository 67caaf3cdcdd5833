#include "backend/projects/project_expiry.h"

#include "backend/projects/messages.h"

namespace carme::backend {

int DueAnnouncement(const Project& project, absl::Time now) {
  if (StateAt(project, now) != v1::PROJECT_STATE_ACTIVE ||
      !project.expires_at) {
    return 0;
  }
  const absl::Duration left = *project.expires_at - now;
  for (const int days : {1, 7, 30}) {
    if (left > absl::Hours(24 * days)) continue;
    const bool made =
        project.announced_days != 0 && project.announced_days <= days;
    return made ? 0 : days;
  }
  return 0;
}

DisplayText AnnouncementOf(const Project& project) {
  return MakeText(project_messages::kEndsSoon,
                  {{"project", project.settings.name},
                   {"date", absl::FormatTime("%Y-%m-%d", *project.expires_at,
                                             absl::UTCTimeZone())},
                   {"time", absl::FormatTime("%H:%M", *project.expires_at,
                                             absl::UTCTimeZone())}});
}

DisplayText ExpiryNoticeOf(const Project& project) {
  return MakeText(project_messages::kHasEnded,
                  {{"project", project.settings.name}});
}

}  // namespace carme::backend
