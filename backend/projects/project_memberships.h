// The projects in which a user has a role.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_MEMBERSHIPS_H_
#define CARME_BACKEND_PROJECTS_PROJECT_MEMBERSHIPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::backend {

// A user's role in a project.
struct ProjectMembership {
  std::string project{};   // project id
  bool is_member = false;  // also managers and owners
  bool manages = false;
  bool is_active = false;  // the project is active now
};

// Implemented by Projects. Thread-safe.
class ProjectMemberships {
 public:
  virtual ~ProjectMemberships() = default;
  // The memberships of the user; `all`: one for each project of the site.
  // Blocks for the database; returns its errors.
  virtual absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(
      Uid uid, bool all) const = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_MEMBERSHIPS_H_
