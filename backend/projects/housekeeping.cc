// Projects: the check of a job, and the end of a project.
#include "backend/notifications/event.h"
#include "backend/projects/project_expiry.h"
#include "backend/projects/projects.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status NotifyMembers(Database& db, const Project& project,
                           ProjectRole min, const DisplayText& notice,
                           absl::Time now) {
  ASSIGN_OR_RETURN(const std::vector<ProjectMember> members,
                   ReadMembers(db, project.id));
  for (const ProjectMember& member : members) {
    if (member.project_role < min) continue;
    const Event event{.uid = member.uid,
                      .kind = v1::NOTIFICATION_KIND_PROJECT,
                      .subject = project.id.value(),
                      .text = notice};
    RETURN_IF_ERROR(PostEvent(db, event, now));
  }
  return absl::OkStatus();
}

bool IsDeletable(const Project& project, absl::Time now) {
  return project.state == v1::PROJECT_STATE_CLOSED && project.closed_at &&
         *project.closed_at + Projects::kClosedKept <= now;
}

bool HasJustExpired(const Project& project, absl::Time now) {
  return StateAt(project, now) != project.state;
}

bool WantsTending(const Project& project, absl::Time now) {
  return IsDeletable(project, now) || HasJustExpired(project, now) ||
         DueAnnouncement(project, now) != 0;
}

}  // namespace

absl::StatusOr<Projects::JobSettings> Projects::ForJob(Database& db,
                                                       const std::string& id,
                                                       Uid uid) const {
  const absl::StatusOr<ProjectRow> row = ReadProject(db, ProjectId(id), uid);
  // The message does not reveal which projects exist.
  if (absl::IsNotFound(row.status())) {
    return JudgeJob(v1::PROJECT_ROLE_UNSPECIFIED, v1::PROJECT_STATE_ACTIVE);
  }
  RETURN_IF_ERROR(row.status());
  RETURN_IF_ERROR(
      JudgeJob(row->project_role, StateAt(row->project, parts_.clock->Now())));
  return JobSettings{.account = row->project.account};
}

absl::StatusOr<Projects::JobSettings> Projects::ForJob(const std::string& id,
                                                       Uid uid) {
  absl::StatusOr<JobSettings> terms = JobSettings();
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) {
    terms = ForJob(db, id, uid);
    return absl::OkStatus();
  }));
  return terms;
}

absl::StatusOr<std::vector<ProjectMembership>> Projects::MembershipsOf(
    Uid uid, bool all) const {
  ASSIGN_OR_RETURN(const std::vector<ProjectRow> rows, RowsOf(uid, all));
  std::vector<ProjectMembership> memberships;
  for (const ProjectRow& row : rows) {
    memberships.push_back(
        {.project = row.project.id.value(),
         .is_member = IsMember(row.project_role),
         .manages = Manages(row.project_role),
         .is_active = row.project.state == v1::PROJECT_STATE_ACTIVE});
  }
  return memberships;
}

absl::StatusOr<std::vector<ProjectRow>> Projects::RowsOf(Uid uid,
                                                         bool all) const {
  std::vector<ProjectRow> rows;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(rows, ReadProjects(db, uid, all));
    return absl::OkStatus();
  }));
  const absl::Time now = parts_.clock->Now();
  for (ProjectRow& row : rows) row.project.state = StateAt(row.project, now);
  return rows;
}

void Projects::Sweep() {
  std::vector<ProjectRow> rows;
  const absl::Status read =
      parts_.database->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(rows, ReadProjects(db, kNoUid, /*all=*/true));
        return absl::OkStatus();
      });
  if (!read.ok()) {
    LogError("project housekeeping failed", {{"error", StatusText(read)}});
    return;
  }
  const absl::Time now = parts_.clock->Now();
  for (const ProjectRow& row : rows) {
    if (!WantsTending(row.project, now)) continue;
    const absl::Status tended = Tend(row.project.id);
    if (tended.ok()) continue;
    LogError(
        "project housekeeping failed",
        {{"project", row.project.id.value()}, {"error", StatusText(tended)}});
  }
}

// The notifications and their mark are written in one transaction, so that each
// is sent exactly once.
absl::Status Projects::Tend(const ProjectId& id) {
  return parts_.database->Transact([&](Database& db) -> absl::Status {
    const absl::Time now = parts_.clock->Now();
    ASSIGN_OR_RETURN(ProjectRow row, ReadProject(db, id, kNoUid));
    Project& project = row.project;
    if (IsDeletable(project, now)) return DeleteProject(db, id);
    if (HasJustExpired(project, now)) {
      project.state = StateAt(project, now);
      RETURN_IF_ERROR(NotifyMembers(db, project, v1::PROJECT_ROLE_MEMBER,
                                    ExpiryNoticeOf(project), now));
      parts_.audit->Record({.act = "project-expire",
                            .actor = "carme-backend",
                            .subject = id.value(),
                            .decision = AuditDecision::kAllow,
                            .result = "ok"});
      return UpdateProject(db, project);
    }
    RETURN_IF_ERROR(Announce(db, &project));
    return UpdateProject(db, project);
  });
}

absl::Status Projects::Announce(Database& db, Project* project) const {
  const absl::Time now = parts_.clock->Now();
  const int days = DueAnnouncement(*project, now);
  if (days == 0) return absl::OkStatus();
  project->announced_days = days;
  // Early announcements go to those who can have the project extended, the last
  // one to every member.
  const ProjectRole min =
      days > 1 ? v1::PROJECT_ROLE_MANAGER : v1::PROJECT_ROLE_MEMBER;
  return NotifyMembers(db, *project, min, AnnouncementOf(*project), now);
}

}  // namespace carme::backend
