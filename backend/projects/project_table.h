// The tables `projects` and `project_members`. Each function runs in the body
// of a transaction or query of the caller; errors are those of the database.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_TABLE_H_
#define CARME_BACKEND_PROJECTS_PROJECT_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/projects/project.h"
#include "backend/store/database.h"

namespace carme::backend {

// A project with data for one user.
struct ProjectRow {
  Project project{};
  ProjectRole project_role = v1::PROJECT_ROLE_UNSPECIFIED;  // of the caller
  std::string owner{};
  int members = 0;  // with the owner
  int invited = 0;
  int requested = 0;
  int waiting = 0;
};

// NOT_FOUND, with a message for any user.
absl::StatusOr<ProjectRow> ReadProject(Database& db, const ProjectId& id,
                                       Uid who);
// By name: the projects in which `who` has a role, or all.
absl::StatusOr<std::vector<ProjectRow>> ReadProjects(Database& db, Uid who,
                                                     bool all);
absl::Status InsertProject(Database& db, const Project& project);
absl::Status UpdateProject(Database& db, const Project& project);
// With its members.
absl::Status DeleteProject(Database& db, const ProjectId& id);
absl::StatusOr<int> CountProjects(Database& db);

// Owner, managers, members, then those who are not yet; by name.
absl::StatusOr<std::vector<ProjectMember>> ReadMembers(Database& db,
                                                       const ProjectId& id);
// ProjectRole kNone: they have none.
absl::StatusOr<ProjectMember> ReadMember(Database& db, const ProjectId& id,
                                         Uid uid);
absl::StatusOr<ProjectMember> ReadMember(Database& db, const ProjectId& id,
                                         const std::string& username);
// Replaces the row of this uid; kNone deletes it.
absl::Status PutMember(Database& db, const ProjectId& id,
                       const ProjectMember& member);
// The number of projects, in this state or any, in which a user has the role.
absl::StatusOr<int> CountMemberships(Database& db, Uid uid,
                                     ProjectRole project_role,
                                     std::optional<ProjectState> state = {});

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_TABLE_H_
