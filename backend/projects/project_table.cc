#include "backend/projects/project_table.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::backend {
namespace {

std::optional<absl::Time> TimeAt(const Statement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return absl::FromUnixMicros(row.Int(column));
}

void BindTime(Statement& statement, int index,
              const std::optional<absl::Time>& time) {
  if (time) {
    statement.Bind(index, absl::ToUnixMicros(*time));
  } else {
    statement.BindNull(index);
  }
}

int64_t Number(Uid uid) { return int64_t{uid.value()}; }

// ?1 is the uid of the one who asks.
std::string SelectProjects(const char* where) {
  return absl::StrCat(
      "SELECT id, name, description, classification, takes_requests, state, "
      "created_at, expires_at, account, announced_days, closed_at, "
      "coalesce((SELECT role FROM project_members WHERE project=id AND "
      "uid=?1), 0), "
      "coalesce((SELECT username FROM project_members WHERE project=id AND "
      "role=6), ''), "
      "(SELECT count(*) FROM project_members WHERE project=id AND role>=4), "
      "(SELECT count(*) FROM project_members WHERE project=id AND role=1), "
      "(SELECT count(*) FROM project_members WHERE project=id AND role=2), "
      "(SELECT count(*) FROM project_members WHERE project=id AND role=3) "
      "FROM projects ",
      where);
}

ProjectRow RowAt(const Statement& row) {
  ProjectRow found;
  Project& project = found.project;
  project.id = ProjectId(row.Text(0));
  project.settings = {.name = row.Text(1),
                      .description = row.Text(2),
                      .classification = row.Text(3),
                      .takes_requests = row.Int(4) != 0};
  project.state = static_cast<ProjectState>(row.Int(5));
  project.created_at = absl::FromUnixMicros(row.Int(6));
  project.expires_at = TimeAt(row, 7);
  project.account = row.Text(8);
  project.announced_days = static_cast<int>(row.Int(9));
  project.closed_at = TimeAt(row, 10);
  found.project_role = static_cast<ProjectRole>(row.Int(11));
  found.owner = row.Text(12);
  found.members = static_cast<int>(row.Int(13));
  found.invited = static_cast<int>(row.Int(14));
  found.requested = static_cast<int>(row.Int(15));
  found.waiting = static_cast<int>(row.Int(16));
  return found;
}

// What may change, as parameters 2 to 10.
Statement& BindProject(Statement& write, const Project& project) {
  write.Bind(1, project.id.value())
      .Bind(2, project.settings.name)
      .Bind(3, project.settings.description)
      .Bind(4, project.settings.classification)
      .Bind(5, int64_t{project.settings.takes_requests ? 1 : 0})
      .Bind(6, static_cast<int64_t>(project.state))
      .Bind(7, project.account)
      .Bind(8, int64_t{project.announced_days});
  BindTime(write, 9, project.expires_at);
  BindTime(write, 10, project.closed_at);
  return write;
}

constexpr char kMemberColumns[] =
    "SELECT uid, username, display_name, role, since, approved_by, "
    "confirmed_by FROM project_members WHERE project=?1 ";

ProjectMember MemberAt(const Statement& row) {
  return {.uid = Uid(static_cast<uint32_t>(row.Int(0))),
          .username = row.Text(1),
          .display_name = row.Text(2),
          .project_role = static_cast<ProjectRole>(row.Int(3)),
          .since = absl::FromUnixMicros(row.Int(4)),
          .approved_by = row.Text(5),
          .confirmed_by = row.Text(6)};
}

absl::StatusOr<ProjectMember> MemberOf(Statement& row) {
  ASSIGN_OR_RETURN(const bool found, row.Step());
  return found ? MemberAt(row) : ProjectMember();
}

}  // namespace

absl::StatusOr<ProjectRow> ReadProject(Database& db, const ProjectId& id,
                                       Uid who) {
  ASSIGN_OR_RETURN(Statement row, db.Prepare(SelectProjects("WHERE id=?2")));
  ASSIGN_OR_RETURN(const bool found,
                   row.Bind(1, Number(who)).Bind(2, id.value()).Step());
  if (!found) return absl::NotFoundError("there is no such project");
  return RowAt(row);
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
    found.push_back(RowAt(row));
  }
}

absl::Status InsertProject(Database& db, const Project& project) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("INSERT INTO projects (id, name, description, classification, "
                 "takes_requests, state, account, announced_days, expires_at, "
                 "closed_at, created_at) "
                 "VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)"));
  return BindProject(write, project)
      .Bind(11, absl::ToUnixMicros(project.created_at))
      .Run();
}

absl::Status UpdateProject(Database& db, const Project& project) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("UPDATE projects SET name=?2, description=?3, "
                 "classification=?4, takes_requests=?5, state=?6, account=?7, "
                 "announced_days=?8, expires_at=?9, closed_at=?10 "
                 "WHERE id=?1"));
  return BindProject(write, project).Run();
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
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(absl::StrCat(kMemberColumns, "ORDER BY role DESC, username")));
  row.Bind(1, id.value());
  std::vector<ProjectMember> members;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return members;
    members.push_back(MemberAt(row));
  }
}

absl::StatusOr<ProjectMember> ReadMember(Database& db, const ProjectId& id,
                                         Uid uid) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare(absl::StrCat(kMemberColumns, "AND uid=?2")));
  return MemberOf(row.Bind(1, id.value()).Bind(2, Number(uid)));
}

absl::StatusOr<ProjectMember> ReadMember(Database& db, const ProjectId& id,
                                         const std::string& username) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare(absl::StrCat(kMemberColumns, "AND username=?2")));
  return MemberOf(row.Bind(1, id.value()).Bind(2, username));
}

absl::Status PutMember(Database& db, const ProjectId& id,
                       const ProjectMember& member) {
  if (member.project_role == ProjectRole::kNone) {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM project_members WHERE project=?1 "
                                "AND uid=?2"));
    return write.Bind(1, id.value()).Bind(2, Number(member.uid)).Run();
  }
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("INSERT INTO project_members (project, uid, username, "
                 "display_name, role, since, approved_by, confirmed_by) "
                 "VALUES (?1,?2,?3,?4,?5,?6,?7,?8) "
                 // Not REPLACE: that would remove another owner, too.
                 "ON CONFLICT (project, uid) DO UPDATE SET username=?3, "
                 "display_name=?4, role=?5, since=?6, approved_by=?7, "
                 "confirmed_by=?8"));
  return write.Bind(1, id.value())
      .Bind(2, Number(member.uid))
      .Bind(3, member.username)
      .Bind(4, member.display_name)
      .Bind(5, static_cast<int64_t>(member.project_role))
      .Bind(6, absl::ToUnixMicros(member.since))
      .Bind(7, member.approved_by)
      .Bind(8, member.confirmed_by)
      .Run();
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
