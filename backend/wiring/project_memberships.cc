#include "backend/wiring/project_memberships.h"

#include "common/status.h"

namespace carme::backend {

absl::StatusOr<std::vector<ProjectMembership>> MembershipsOf(
    const Projects& projects, Uid uid, bool all) {
  ASSIGN_OR_RETURN(const std::vector<ProjectRow> rows,
                   projects.RowsOf(uid, all));
  std::vector<ProjectMembership> memberships;
  for (const ProjectRow& row : rows) {
    memberships.push_back(
        {.project = row.project.id.value(),
         .is_member = IsMember(row.project_role),
         .manages = Manages(row.project_role),
         .is_active = row.project.state == ProjectState::kActive});
  }
  return memberships;
}

}  // namespace carme::backend
