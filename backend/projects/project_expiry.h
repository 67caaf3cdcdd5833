// When the end of a project is announced, and the text: pure functions.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_EXPIRY_H_
#define CARME_BACKEND_PROJECTS_PROJECT_EXPIRY_H_

#include <string>

#include "absl/time/time.h"
#include "backend/projects/project.h"
#include "common/display_text.h"

namespace carme::backend {

// The announcement that is due now, in days before the end: 30, 7 or 1; 0:
// none. Of several missed announcements only the last one is made.
int DueAnnouncement(const Project& project, absl::Time now);

// For owner and managers, the last one for every member. REQUIRES: the project
// has an end.
DisplayText AnnouncementOf(const Project& project);
// For every member.
DisplayText ExpiryNoticeOf(const Project& project);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_EXPIRY_H_
