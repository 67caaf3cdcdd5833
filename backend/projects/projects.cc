#include "backend/projects/projects.h"

#include "absl/strings/str_cat.h"
#include "backend/identity/username.h"
#include "backend/notifications/event.h"
#include "backend/projects/project_text.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

absl::Status NoProject() {
  return absl::NotFoundError("there is no such project");
}

std::string Quoted(const ProjectRow& row) {
  return absl::StrCat("\"", row.project.settings.name, "\"");
}

// What somebody is told of an act about them; empty: nothing. Only of what
// nobody can repeat without them, so that nobody can bury their other notices.
std::string NoticeOf(MemberAct act, Place place, const ProjectRow& row) {
  switch (act) {
    case MemberAct::kApprove:
    case MemberAct::kConfirm:
      if (place != Place::kMember) return "";
      return absl::StrCat("You are a member of the project ", Quoted(row),
                          " now.");
    case MemberAct::kReject:
    case MemberAct::kRefuse:
      return absl::StrCat("You were not taken into the project ", Quoted(row),
                          ".");
    case MemberAct::kRemove:
      return absl::StrCat("You are no member of the project ", Quoted(row),
                          " any more.");
    case MemberAct::kHandOver:
      return absl::StrCat("The project ", Quoted(row),
                          " was handed over to you: you own it now.");
    default:
      return "";
  }
}

}  // namespace

absl::StatusOr<Projects::Listing> Projects::List(const Person& person,
                                                 bool all) {
  const bool sees_all = ReadsEverything(person.role);
  if (all && !sees_all) {
    return absl::PermissionDeniedError(
        "only support and administrators see all projects");
  }
  std::vector<ProjectRow> rows;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(rows, ReadProjects(db, person.uid, sees_all));
    return absl::OkStatus();
  }));
  Listing listing;
  const Onlooker onlooker = OnlookerOf(person);
  for (ProjectRow& row : rows) {
    ProjectView view = ViewOf(std::move(row), onlooker);
    listing.waiting_for_me += view.waiting_for_me;
    if (all || view.row.place != Place::kNone) {
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
    if (!Sees(person.role, row.place)) return NoProject();
    ASSIGN_OR_RETURN(view,
                     ViewWithMembers(db, std::move(row), OnlookerOf(person)));
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
        const Onlooker onlooker = OnlookerOf(person);
        ASSIGN_OR_RETURN(ProjectRow row, ReadProject(db, id, person.uid));
        const ProjectState state = StateAt(row.project, onlooker.now);
        bool gone = false;
        RETURN_IF_ERROR(edit(db, &row, state, &gone));
        if (gone) return absl::OkStatus();
        ASSIGN_OR_RETURN(ProjectRow now, ReadProject(db, id, person.uid));
        if (!Sees(person.role, now.place)) return absl::OkStatus();
        ASSIGN_OR_RETURN(view, ViewWithMembers(db, std::move(now), onlooker));
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
      .state = BeginsAs(person.role, config_.administrator_confirms),
      // What the table can hold.
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
                          .place = Place::kOwner,
                          .since = project.created_at});
      });
  RETURN_IF_ERROR(made);
  return Get(person, project.id);
}

absl::Status Projects::CheckRoom(Database& db, const Person& person) const {
  ASSIGN_OR_RETURN(const int all, CountProjects(db));
  if (all >= kMostProjects) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there are ", all, " projects: tell an administrator"));
  }
  ASSIGN_OR_RETURN(const int owned, CountPlaces(db, person.uid, Place::kOwner));
  ASSIGN_OR_RETURN(const int asked, CountPlaces(db, person.uid, Place::kOwner,
                                                ProjectState::kRequested));
  if (owned >= kMostOwned || asked >= kMostAsked) {
    return absl::ResourceExhaustedError(
        absl::StrCat("you own ", owned, " projects, of which ", asked,
                     " wait for an administrator: expected fewer than ",
                     kMostOwned, " and ", kMostAsked));
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
               RETURN_IF_ERROR(
                   Judge(ProjectAct::kChange, person.role, row->place, state));
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
               RETURN_IF_ERROR(Judge(ProjectAct::kSetTerms, person.role,
                                     row->place, state));
               RETURN_IF_ERROR(CheckAccount(account));
               RETURN_IF_ERROR(CheckEnd(expires_at, parts_.clock->Now()));
               if (state == ProjectState::kExpired) {
                 project.state = ProjectState::kActive;
               }
               if (project.expires_at != expires_at) project.announced_days = 0;
               project.expires_at = expires_at;
               project.account = account;
               // The next sweep may come after it.
               RETURN_IF_ERROR(Announce(db, &project));
               return UpdateProject(db, project);
             }));
  return *std::move(view);
}

absl::StatusOr<std::optional<ProjectView>> Projects::Act(const Person& person,
                                                         const ProjectId& id,
                                                         ProjectAct act) {
  if (act > ProjectAct::kReopen || act < ProjectAct::kApprove) {
    return absl::InvalidArgumentError(
        "act: expected approve, refuse, close or reopen");
  }
  return Edited(person, id,
                [&](Database& db, ProjectRow* row, ProjectState state,
                    bool* gone) -> absl::Status {
                  Project& project = row->project;
                  RETURN_IF_ERROR(Judge(act, person.role, row->place, state));
                  const bool was_approved = state != ProjectState::kRequested;
                  const bool closes = act == ProjectAct::kClose && was_approved;
                  *gone = !was_approved && act != ProjectAct::kApprove;
                  if (row->place != Place::kOwner) {
                    ASSIGN_OR_RETURN(const auto members, ReadMembers(db, id));
                    // Owners come first.
                    const bool opens = !*gone && !closes;
                    RETURN_IF_ERROR(TellOne(
                        db, members.at(0).uid, *row,
                        absl::StrCat("An administrator has ",
                                     *gone   ? "refused"
                                     : opens ? "opened"
                                             : "closed",
                                     " your project ", Quoted(*row), ".")));
                  }
                  if (*gone) return DeleteProject(db, id);
                  project.state =
                      closes ? ProjectState::kClosed : ProjectState::kActive;
                  project.closed_at.reset();
                  if (closes) project.closed_at = parts_.clock->Now();
                  project.announced_days = 0;
                  return UpdateProject(db, project);
                });
}

absl::Status Projects::LetIn(Database& db, const ProjectRow& row,
                             const Person& newcomer, ProjectMember member,
                             Place place) const {
  const int all = row.members + row.invited + row.requested + row.waiting;
  const bool asks = place == Place::kRequested;
  if (all >= kMostMembers || (asks && row.requested >= kMostRequests)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the project has ", all, " people, of whom ",
                     row.requested, " ask to come in: expected fewer than ",
                     kMostMembers, " and ", kMostRequests));
  }
  ASSIGN_OR_RETURN(const ProjectMember namesake,
                   ReadMember(db, row.project.id, newcomer.username));
  if (namesake.place != Place::kNone) {
    return absl::FailedPreconditionError(
        "an account that had this name before is in the project: expected it "
        "to be removed");
  }
  member.uid = newcomer.uid;
  member.username = newcomer.username;
  member.display_name = newcomer.display_name;
  member.place = place;
  member.since = parts_.clock->Now();
  return PutMember(db, row.project.id, member);
}

absl::StatusOr<ProjectView> Projects::Request(const Person& person,
                                              const ProjectId& id) {
  ASSIGN_OR_RETURN(
      std::optional<ProjectView> view,
      Edited(person, id,
             [&](Database& db, ProjectRow* row, ProjectState state,
                 bool*) -> absl::Status {
               ASSIGN_OR_RETURN(const Place place,
                                Judge({.act = MemberAct::kRequest,
                                       .role = person.role,
                                       .actor = row->place,
                                       .is_self = true,
                                       .target = row->place,
                                       .state = state,
                                       .takes_requests =
                                           row->project.settings.takes_requests,
                                       .administrator_confirms =
                                           config_.administrator_confirms}));
               ASSIGN_OR_RETURN(const int asked,
                                CountPlaces(db, person.uid, Place::kRequested));
               if (asked >= kMostRequested) {
                 return absl::ResourceExhaustedError(absl::StrCat(
                     "you wait for an answer of ", asked,
                     " projects: expected fewer than ", kMostRequested));
               }
               return LetIn(db, *row, person, {}, place);
             }));
  return *std::move(view);
}

absl::StatusOr<ProjectView> Projects::Invite(const Person& person,
                                             const ProjectId& id,
                                             const std::string& username) {
  // Whoever may not invite does not learn either who is at this site.
  ASSIGN_OR_RETURN(const ProjectView before, Get(person, id));
  RETURN_IF_ERROR(Judge(ProjectAct::kInvite, person.role, before.row.place,
                        before.row.project.state));
  const absl::StatusOr<Person> guest = IsUsername(username)
                                           ? parts_.who_is(username)
                                           : absl::NotFoundError("no name");
  if (absl::IsNotFound(guest.status())) {
    return absl::NotFoundError("there is nobody of that name at this site");
  }
  if (!guest.ok()) {
    LogWarning("guest not looked up", {{"error", guest.status().ToString()}});
    return absl::UnavailableError(
        "the site's directory cannot be asked now: try again");
  }
  ASSIGN_OR_RETURN(
      std::optional<ProjectView> view,
      Edited(person, id,
             [&](Database& db, ProjectRow* row, ProjectState state,
                 bool*) -> absl::Status {
               ASSIGN_OR_RETURN(const ProjectMember known,
                                ReadMember(db, id, guest->uid));
               ASSIGN_OR_RETURN(const Place place,
                                Judge({.act = MemberAct::kInvite,
                                       .role = person.role,
                                       .actor = row->place,
                                       .is_self = guest->uid == person.uid,
                                       .target = known.place,
                                       .state = state,
                                       .administrator_confirms =
                                           config_.administrator_confirms}));
               RETURN_IF_ERROR(LetIn(db, *row, *guest,
                                     {.approved_by = person.username}, place));
               return place == Place::kInvited
                          ? TellGuest(db, guest->uid, person, *row)
                          : absl::OkStatus();
             }));
  return *std::move(view);
}

absl::StatusOr<std::optional<ProjectView>> Projects::ActOnMember(
    const Person& person, const ProjectId& id, const std::string& username,
    MemberAct act) {
  if (act == MemberAct::kInvite || act == MemberAct::kRequest) {
    return absl::InvalidArgumentError("act: expected one about a member");
  }
  return Edited(
      person, id,
      [&](Database& db, ProjectRow* row, ProjectState state,
          bool*) -> absl::Status {
        if (!Sees(person.role, row->place)) return NoProject();
        ASSIGN_OR_RETURN(ProjectMember target, ReadMember(db, id, username));
        ASSIGN_OR_RETURN(
            const Place place,
            Judge({.act = act,
                   .role = person.role,
                   .actor = row->place,
                   .is_self = target.uid == person.uid,
                   .target = target.place,
                   .state = state,
                   .administrator_confirms = config_.administrator_confirms}));
        return Move(db, *row, person, std::move(target), act, place);
      });
}

absl::Status Projects::Move(Database& db, const ProjectRow& row,
                            const Person& actor, ProjectMember target,
                            MemberAct act, Place place) const {
  // First, so that there is never a second owner.
  if (act == MemberAct::kHandOver) RETURN_IF_ERROR(HandOver(db, row, actor));
  target.place = place;
  target.since = parts_.clock->Now();
  if (act == MemberAct::kApprove) target.approved_by = actor.username;
  if (act == MemberAct::kConfirm) target.confirmed_by = actor.username;
  RETURN_IF_ERROR(PutMember(db, row.project.id, target));
  const std::string notice = NoticeOf(act, place, row);
  if (notice.empty() || target.uid == actor.uid) return absl::OkStatus();
  return TellOne(db, target.uid, row, notice);
}

absl::Status Projects::HandOver(Database& db, const ProjectRow& row,
                                const Person& actor) const {
  ASSIGN_OR_RETURN(std::vector<ProjectMember> members,
                   ReadMembers(db, row.project.id));
  ProjectMember& owner = members.at(0);
  if (owner.place != Place::kOwner) {
    return absl::InternalError("a project has no owner");
  }
  owner.place = Place::kManager;
  owner.since = parts_.clock->Now();
  RETURN_IF_ERROR(PutMember(db, row.project.id, owner));
  if (owner.uid == actor.uid) return absl::OkStatus();
  return TellOne(db, owner.uid, row,
                 absl::StrCat("An administrator has handed over your project ",
                              Quoted(row), ": you manage it now."));
}

absl::Status Projects::TellGuest(Database& db, Uid uid, const Person& host,
                                 const ProjectRow& row) const {
  const absl::Time now = parts_.clock->Now();
  const std::string& id = row.project.id.value();
  return PostEvent(
      db,
      {.uid = uid,
       .kind = EventKind::kProject,
       .subject = id,
       .text = absl::StrCat("You are invited to the project ", Quoted(row),
                            " by ", host.username, ": accept or decline."),
       // Once a day, however often the invitation is taken back.
       .key = absl::StrCat("invited/", id, "/", uid.value(), "/",
                           absl::ToUnixSeconds(now) / (24 * 3600))},
      now);
}

absl::Status Projects::TellOne(Database& db, Uid uid, const ProjectRow& row,
                               const std::string& text) const {
  const Event event{.uid = uid,
                    .kind = EventKind::kProject,
                    .subject = row.project.id.value(),
                    .text = text};
  return PostEvent(db, event, parts_.clock->Now());
}

}  // namespace carme
