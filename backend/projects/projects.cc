#include "backend/projects/projects.h"

#include "backend/projects/messages.h"
#include "backend/projects/project_text.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The owner's notification about a decision of the site.
const TextTemplate& DecisionNotice(Role role, bool refuses, bool opens) {
  if (role == Role::kManager) {
    return refuses ? project_messages::kRefusedByManager
           : opens ? project_messages::kOpenedByManager
                   : project_messages::kClosedByManager;
  }
  return refuses ? project_messages::kRefusedByAdministrator
         : opens ? project_messages::kOpenedByAdministrator
                 : project_messages::kClosedByAdministrator;
}

}  // namespace

absl::StatusOr<Projects::Listing> Projects::List(const Person& person,
                                                 bool all) {
  const bool sees_all = ReadsEverything(person.role);
  if (all && !sees_all) {
    return MakeError(project_messages::kOnlySupportSeesAll);
  }
  std::vector<ProjectRow> rows;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    // A site manager needs all projects to find the requested ones.
    ASSIGN_OR_RETURN(rows,
                     ReadProjects(db, person.uid,
                                  sees_all || person.role == Role::kManager));
    return absl::OkStatus();
  }));
  Listing listing;
  const Viewer viewer = ViewerOf(person);
  for (ProjectRow& row : rows) {
    ProjectView view = ViewOf(std::move(row), viewer);
    const ProjectRole project_role = view.row.project_role;
    const ProjectState state = view.row.project.state;
    if (!Sees(person.role, project_role, state)) continue;
    listing.waiting_for_me += view.waiting_for_me;
    const bool to_decide = person.role == Role::kManager &&
                           DecidesAbout(person.role, project_role, state);
    if (all || project_role != v1::PROJECT_ROLE_UNSPECIFIED || to_decide) {
      listing.projects.push_back(std::move(view));
    }
  }
  return listing;
}

absl::StatusOr<ProjectView> Projects::Get(const Person& person,
                                          const ProjectId& id) {
  ProjectView view;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(ProjectRow row, ReadProject(db, id, person.uid));
    const ProjectState state = StateAt(row.project, parts_.clock->Now());
    if (!Sees(person.role, row.project_role, state)) return NoProject();
    ASSIGN_OR_RETURN(view,
                     ViewWithMembers(db, std::move(row), ViewerOf(person)));
    return absl::OkStatus();
  }));
  return view;
}

absl::StatusOr<std::optional<ProjectView>> Projects::Edited(
    const Person& person, const ProjectId& id, const Edit& edit) {
  std::optional<ProjectView> view;
  const absl::Status edited =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        view.reset();
        const Viewer viewer = ViewerOf(person);
        ASSIGN_OR_RETURN(ProjectRow row, ReadProject(db, id, person.uid));
        const ProjectState state = StateAt(row.project, viewer.now);
        bool gone = false;
        RETURN_IF_ERROR(edit(db, &row, state, &gone));
        if (gone) return absl::OkStatus();
        ASSIGN_OR_RETURN(ProjectRow now, ReadProject(db, id, person.uid));
        if (!Sees(person.role, now.project_role,
                  StateAt(now.project, viewer.now))) {
          return absl::OkStatus();
        }
        ASSIGN_OR_RETURN(view, ViewWithMembers(db, std::move(now), viewer));
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(edited);
  return view;
}

absl::StatusOr<ProjectView> Projects::Create(const Person& person,
                                             ProjectSettings settings) {
  RETURN_IF_ERROR(CheckSettings(config_.classifications, &settings));
  const Project project{
      .id = ProjectId(NewJobId().value()),
      .settings = std::move(settings),
      .state = BeginsAs(person.role, config_.require_admin_approval),
      // The precision of the table.
      .created_at =
          absl::FromUnixMicros(absl::ToUnixMicros(parts_.clock->Now()))};
  const absl::Status made =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        RETURN_IF_ERROR(CheckRoom(db, person));
        RETURN_IF_ERROR(InsertProject(db, project));
        return PutMember(db, project.id,
                         {.uid = person.uid,
                          .username = person.username,
                          .display_name = person.display_name,
                          .project_role = v1::PROJECT_ROLE_OWNER,
                          .since = project.created_at});
      });
  RETURN_IF_ERROR(made);
  return Get(person, project.id);
}

absl::Status Projects::CheckRoom(Database& db, const Person& person) const {
  ASSIGN_OR_RETURN(const int all, CountProjects(db));
  if (all >= kMaxProjects) {
    return MakeError(project_messages::kTooManyProjects, {{"projects", all}});
  }
  ASSIGN_OR_RETURN(const int owned,
                   CountMemberships(db, person.uid, v1::PROJECT_ROLE_OWNER));
  ASSIGN_OR_RETURN(const int asked,
                   CountMemberships(db, person.uid, v1::PROJECT_ROLE_OWNER,
                                    v1::PROJECT_STATE_REQUESTED));
  if (owned >= kMaxOwned || asked >= kMaxAsked) {
    return MakeError(project_messages::kTooManyOwned,
                     {{"owned", owned},
                      {"waiting", asked},
                      {"max_owned", kMaxOwned},
                      {"max_waiting", kMaxAsked}});
  }
  return absl::OkStatus();
}

absl::StatusOr<ProjectView> Projects::Change(const Person& person,
                                             const ProjectId& id,
                                             ProjectSettings settings) {
  ASSIGN_OR_RETURN(
      std::optional<ProjectView> view,
      Edited(person, id,
             [&](Database& db, ProjectRow* row, ProjectState state,
                 bool*) -> absl::Status {
               Project& project = row->project;
               RETURN_IF_ERROR(Judge(v1::PROJECT_ACTION_CHANGE, person.role,
                                     row->project_role, state));
               RETURN_IF_ERROR(
                   CheckSettings(config_.classifications, &settings));
               project.settings = settings;
               return UpdateProject(db, project);
             }));
  return *std::move(view);
}

absl::StatusOr<ProjectView> Projects::SetTerms(
    const Person& person, const ProjectId& id,
    std::optional<absl::Time> expires_at, const std::string& account) {
  ASSIGN_OR_RETURN(
      std::optional<ProjectView> view,
      Edited(person, id,
             [&](Database& db, ProjectRow* row, ProjectState state,
                 bool*) -> absl::Status {
               Project& project = row->project;
               RETURN_IF_ERROR(Judge(v1::PROJECT_ACTION_SET_TERMS, person.role,
                                     row->project_role, state));
               RETURN_IF_ERROR(CheckAccount(account));
               RETURN_IF_ERROR(CheckEnd(expires_at, parts_.clock->Now()));
               if (state == v1::PROJECT_STATE_EXPIRED) {
                 project.state = v1::PROJECT_STATE_ACTIVE;
               }
               if (project.expires_at != expires_at) project.announced_days = 0;
               project.expires_at = expires_at;
               project.account = account;
               // Announced now, because the project may end before the next
               // sweep.
               RETURN_IF_ERROR(Announce(db, &project));
               return UpdateProject(db, project);
             }));
  return *std::move(view);
}

absl::StatusOr<std::optional<ProjectView>> Projects::ApplyAction(
    const Person& person, const ProjectId& id, ProjectAction act) {
  if (act > v1::PROJECT_ACTION_REOPEN || act < v1::PROJECT_ACTION_APPROVE) {
    return MakeError(project_messages::kInvalidAction);
  }
  return Edited(
      person, id,
      [&](Database& db, ProjectRow* row, ProjectState state,
          bool* gone) -> absl::Status {
        Project& project = row->project;
        RETURN_IF_ERROR(Judge(act, person.role, row->project_role, state));
        const bool was_approved = state != v1::PROJECT_STATE_REQUESTED;
        const bool closes = act == v1::PROJECT_ACTION_CLOSE && was_approved;
        *gone = !was_approved && act != v1::PROJECT_ACTION_APPROVE;
        if (row->project_role != v1::PROJECT_ROLE_OWNER) {
          ASSIGN_OR_RETURN(const auto members, ReadMembers(db, id));
          // Owners come first.
          const bool opens = !*gone && !closes;
          RETURN_IF_ERROR(
              NotifyUser(db, members.at(0).uid, *row,
                         MakeText(DecisionNotice(person.role, *gone, opens),
                                  {{"project", project.settings.name}})));
        }
        if (*gone) return DeleteProject(db, id);
        project.state =
            closes ? v1::PROJECT_STATE_CLOSED : v1::PROJECT_STATE_ACTIVE;
        project.closed_at.reset();
        if (closes) project.closed_at = parts_.clock->Now();
        project.announced_days = 0;
        return UpdateProject(db, project);
      });
}

}  // namespace carme::backend
