// What the projects tell the images: who may use what is shared with them.
#ifndef CARME_BACKEND_WIRING_PROJECT_MEMBERSHIPS_H_
#define CARME_BACKEND_WIRING_PROJECT_MEMBERSHIPS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "backend/images/image_sharing.h"
#include "backend/projects/projects.h"

namespace carme::backend {

// Of this user, in their projects or in all; blocks for the database. The
// database's errors.
absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(const Projects& projects,
                                                 Uid uid, bool all);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_PROJECT_MEMBERSHIPS_H_
