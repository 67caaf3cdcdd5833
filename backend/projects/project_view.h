// A project as one person may see it, and what they may do with it.
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
  ProjectRow row{};  // with the state of this moment
  std::vector<ProjectAction> may{};
  bool usable = false;  // a job of theirs may begin in it
  // How many people, or the project itself, wait for this person's word.
  int waiting_for_me = 0;
  std::vector<MemberView> members{};  // where they were asked for
};

// Who looks, and on what all views depend.
struct Viewer {
  Person person;
  bool require_admin_approval = true;
  absl::Time now{};
};

// Of a project that the person sees (Sees()); without members.
ProjectView ViewOf(ProjectRow row, const Viewer& viewer);

// With those members that the person may see. REQUIRES: in a body.
absl::StatusOr<ProjectView> ViewWithMembers(Database& db, ProjectRow row,
                                            const Viewer& viewer);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_VIEW_H_
