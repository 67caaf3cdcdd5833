#include "backend/wiring/project_memberships.h"

#include "common/status.h"

namespace carme::backend {

absl::StatusOr<std::vector<ProjectSeat>> SeatsIn(const Projects& projects,
                                                 Uid uid, bool all) {
  ASSIGN_OR_RETURN(const std::vector<ProjectRow> rows,
                   projects.RowsOf(uid, all));
  std::vector<ProjectSeat> seats;
  for (const ProjectRow& row : rows) {
    seats.push_back({.project = row.project.id.value(),
                     .is_member = IsMember(row.place),
                     .manages = Manages(row.place),
                     .is_active = row.project.state == ProjectState::kActive});
  }
  return seats;
}

}  // namespace carme::backend
