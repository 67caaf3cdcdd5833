// Adapts projects to the membership lookup that images use.
#ifndef CARME_BACKEND_WIRING_PROJECT_MEMBERSHIPS_H_
#define CARME_BACKEND_WIRING_PROJECT_MEMBERSHIPS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "backend/images/image_sharing.h"
#include "backend/projects/projects.h"

namespace carme::backend {

// The user's memberships, or all of the site. Blocks for the database; returns
// its errors.
absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(
    const Projects& projects, Uid uid, bool all);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_PROJECT_MEMBERSHIPS_H_
