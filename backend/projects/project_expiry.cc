#include "backend/projects/project_expiry.h"

#include "absl/strings/str_cat.h"

namespace carme::backend {

int DueAnnouncement(const Project& project, absl::Time now) {
  if (StateAt(project, now) != ProjectState::kActive || !project.expires_at) {
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

std::string AnnouncementOf(const Project& project) {
  return absl::StrCat("The project \"", project.settings.name, "\" ends on ",
                      absl::FormatTime("%Y-%m-%d at %H:%M", *project.expires_at,
                                       absl::UTCTimeZone()),
                      " UTC. From then on no job begins in it; an "
                      "administrator may extend it.");
}

std::string ExpiryNoticeOf(const Project& project) {
  return absl::StrCat("The project \"", project.settings.name,
                      "\" has ended: no job begins in it. Jobs that run go on; "
                      "an administrator may extend it.");
}

}  // namespace carme::backend
