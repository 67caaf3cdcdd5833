// A project as shown to one user, with the allowed actions.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_VIEW_H_
#define CARME_BACKEND_PROJECTS_PROJECT_VIEW_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/person.h"
#include "backend/projects/project.h"
#include "backend/projects/project_rules.h"
#include "backend/projects/project_table.h"
#include "backend/store/database.h"

namespace carme::backend {

struct MemberView {
  ProjectMember member{};
  std::vector<MemberAction> may{};
  bool is_self = false;
};

struct ProjectView {
  ProjectRow row{};  // with the current state
  std::vector<ProjectAction> may{};
  bool usable = false;  // the user may start a job in it
  // How many members, or the project itself, wait for the approval of this
  // user.
  int waiting_for_me = 0;
  std::vector<MemberView> members{};  // if requested
};

// The user who views projects, and other input of all views.
struct Viewer {
  Person person;
  bool require_admin_approval = true;
  absl::Time now{};
};

// REQUIRES: the user can see the project (Sees()). Without members.
ProjectView ViewOf(ProjectRow row, const Viewer& viewer);

// With the members that the user may see. REQUIRES: in a body.
absl::StatusOr<ProjectView> ViewWithMembers(Database& db, ProjectRow row,
                                            const Viewer& viewer);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_VIEW_H_
