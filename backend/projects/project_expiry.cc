#include "backend/projects/project_expiry.h"

#include "absl/strings/str_cat.h"

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

std::string AnnouncementOf(const Project& project) {
  return absl::StrCat("The project \"", project.settings.name, "\" ends on ",
                      absl::FormatTime("%Y-%m-%d at %H:%M", *project.expires_at,
                                       absl::UTCTimeZone()),
                      " UTC. After that no new jobs can start in it. An "
                      "administrator can extend it.");
}

std::string ExpiryNoticeOf(const Project& project) {
  return absl::StrCat(
      "The project \"", project.settings.name,
      "\" has ended. No new jobs can start in it; running jobs continue. "
      "an administrator can extend it.");
}

}  // namespace carme::backend
