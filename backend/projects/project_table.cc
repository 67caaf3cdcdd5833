#include "backend/projects/project_table.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/projects/messages.h"
#include "backend/store/row_mapper.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

int64_t Number(Uid uid) { return int64_t{uid.value()}; }

const RowMapper<Project>& ProjectColumns() {
  static const auto* const columns = new RowMapper<Project>({
      {"id", &Project::id},
      {"name", Member(&Project::settings, &ProjectSettings::name)},
      {"description",
       Member(&Project::settings, &ProjectSettings::description)},
      {"classification",
       Member(&Project::settings, &ProjectSettings::classification)},
      {"takes_requests",
       Member(&Project::settings, &ProjectSettings::takes_requests)},
      {"state", &Project::state},
      {"created_at", &Project::created_at},
      {"expires_at", &Project::expires_at},
      {"account", &Project::account},
      {"announced_days", &Project::announced_days},
      {"closed_at", &Project::closed_at},
  });
  return *columns;
}

// Columns of a project that are computed from its members. ?1 is the caller's
// uid.
const RowMapper<ProjectRow>& SummaryColumns() {
  static const auto* const columns = new RowMapper<ProjectRow>({
      {"coalesce((SELECT role FROM project_members WHERE project=id AND "
       "uid=?1), 0)",
       &ProjectRow::project_role},
      {"coalesce((SELECT username FROM project_members WHERE project=id AND "
       "role=6), '')",
       &ProjectRow::owner},
      {"(SELECT count(*) FROM project_members WHERE project=id AND role>=4)",
       &ProjectRow::members},
      {"(SELECT count(*) FROM project_members WHERE project=id AND role=1)",
       &ProjectRow::invited},
      {"(SELECT count(*) FROM project_members WHERE project=id AND role=2)",
       &ProjectRow::requested},
      {"(SELECT count(*) FROM project_members WHERE project=id AND role=3)",
       &ProjectRow::waiting},
  });
  return *columns;
}

const RowMapper<ProjectMember>& MemberColumns() {
  static const auto* const columns = new RowMapper<ProjectMember>({
      {"uid", &ProjectMember::uid},
      {"username", &ProjectMember::username},
      {"display_name", &ProjectMember::display_name},
      {"role", &ProjectMember::project_role},
      {"since", &ProjectMember::since},
      {"approved_by", &ProjectMember::approved_by},
      {"confirmed_by", &ProjectMember::confirmed_by},
  });
  return *columns;
}

std::string SelectProjects(const char* where) {
  return absl::StrCat("SELECT ", ProjectColumns().list(), ", ",
                      SummaryColumns().list(), " FROM projects ", where);
}

absl::StatusOr<ProjectRow> ReadProjectRow(const Statement& row) {
  ProjectRow read;
  RETURN_IF_ERROR(ProjectColumns().ReadInto(row, 0, &read.project));
  RETURN_IF_ERROR(
      SummaryColumns().ReadInto(row, ProjectColumns().size(), &read));
  return read;
}

std::string SelectMembers(const char* rest) {
  return absl::StrCat("SELECT ", MemberColumns().list(),
                      " FROM project_members WHERE project=?1 ", rest);
}

// No role: the user is not a member.
absl::StatusOr<ProjectMember> ReadOneMember(Statement& row) {
  ASSIGN_OR_RETURN(const std::optional<ProjectMember> member,
                   MemberColumns().ReadFirst(row));
  return member.value_or(ProjectMember());
}

}  // namespace

absl::StatusOr<ProjectRow> ReadProject(Database& db, const ProjectId& id,
                                       Uid who) {
  ASSIGN_OR_RETURN(Statement row, db.Prepare(SelectProjects("WHERE id=?2")));
  ASSIGN_OR_RETURN(const bool found,
                   row.Bind(1, Number(who)).Bind(2, id.value()).Step());
  if (!found) return MakeError(project_messages::kNotFound);
  return ReadProjectRow(row);
}

absl::StatusOr<std::vector<ProjectRow>> ReadProjects(Database& db, Uid who,
                                                     bool all) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(SelectProjects(
          all ? "ORDER BY name, id"
              : "WHERE id IN (SELECT project FROM project_members WHERE "
                "uid=?1) ORDER BY name, id")));
  row.Bind(1, Number(who));
  std::vector<ProjectRow> found;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return found;
    ASSIGN_OR_RETURN(ProjectRow read, ReadProjectRow(row));
    found.push_back(std::move(read));
  }
}

absl::Status InsertProject(Database& db, const Project& project) {
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare(ProjectColumns().InsertInto("projects")));
  ProjectColumns().Bind(write, project);
  return write.Run();
}

absl::Status UpdateProject(Database& db, const Project& project) {
  static const RowMapper<Project> changed = ProjectColumns().Only(
      {"name", "description", "classification", "takes_requests", "state",
       "account", "announced_days", "expires_at", "closed_at"});
  ASSIGN_OR_RETURN(Statement write, db.Prepare(absl::StrCat(
                                        "UPDATE projects SET ",
                                        changed.assignments(), " WHERE id=?")));
  const int next = changed.Bind(write, project);
  return write.Bind(next, project.id.value()).Run();
}

absl::Status DeleteProject(Database& db, const ProjectId& id) {
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare("DELETE FROM projects WHERE id=?1"));
  return write.Bind(1, id.value()).Run();
}

absl::StatusOr<int> CountProjects(Database& db) {
  ASSIGN_OR_RETURN(Statement row, db.Prepare("SELECT count(*) FROM projects"));
  RETURN_IF_ERROR(row.Step().status());
  return static_cast<int>(row.Int(0));
}

absl::StatusOr<std::vector<ProjectMember>> ReadMembers(Database& db,
                                                       const ProjectId& id) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare(SelectMembers("ORDER BY role DESC, username")));
  row.Bind(1, id.value());
  return MemberColumns().ReadAll(row);
}

absl::StatusOr<ProjectMember> ReadMember(Database& db, const ProjectId& id,
                                         Uid uid) {
  ASSIGN_OR_RETURN(Statement row, db.Prepare(SelectMembers("AND uid=?2")));
  return ReadOneMember(row.Bind(1, id.value()).Bind(2, Number(uid)));
}

absl::StatusOr<ProjectMember> ReadMember(Database& db, const ProjectId& id,
                                         const std::string& username) {
  ASSIGN_OR_RETURN(Statement row, db.Prepare(SelectMembers("AND username=?2")));
  return ReadOneMember(row.Bind(1, id.value()).Bind(2, username));
}

absl::Status PutMember(Database& db, const ProjectId& id,
                       const ProjectMember& member) {
  if (member.project_role == v1::PROJECT_ROLE_UNSPECIFIED) {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM project_members WHERE project=?1 "
                                "AND uid=?2"));
    return write.Bind(1, id.value()).Bind(2, Number(member.uid)).Run();
  }
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare(absl::StrCat("INSERT INTO project_members (",
                              MemberColumns().list(), ", project) VALUES (",
                              MemberColumns().parameters(), ", ?) ",
                              // REPLACE would also remove another owner.
                              "ON CONFLICT (project, uid) DO UPDATE SET ",
                              MemberColumns().updates())));
  const int next = MemberColumns().Bind(write, member);
  return write.Bind(next, id.value()).Run();
}

absl::StatusOr<int> CountMemberships(Database& db, Uid uid,
                                     ProjectRole project_role,
                                     std::optional<ProjectState> state) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("SELECT count(*) FROM project_members JOIN projects ON "
                 "id=project WHERE uid=?1 AND role=?2 AND (?3=0 OR "
                 "state=?3)"));
  RETURN_IF_ERROR(
      row.Bind(1, Number(uid))
          .Bind(2, static_cast<int64_t>(project_role))
          .Bind(3, state ? static_cast<int64_t>(*state) : int64_t{0})
          .Step()
          .status());
  return static_cast<int>(row.Int(0));
}

}  // namespace carme::backend
