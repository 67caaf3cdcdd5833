// Projects: the operations on members.
#include "absl/strings/str_cat.h"
#include "backend/identity/users/username.h"
#include "backend/notifications/event.h"
#include "backend/projects/messages.h"
#include "backend/projects/project_text.h"
#include "backend/projects/projects.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The notification of a user about a change of their role; empty: none. Only
// changes that others cannot repeat at will are notified, so that they cannot
// flood the user's inbox.
DisplayText NoticeOf(MemberAction act, ProjectRole project_role,
                     const ProjectRow& row) {
  const std::string& name = row.project.settings.name;
  switch (act) {
    case MemberAction::kApprove:
    case MemberAction::kConfirm:
      if (project_role != v1::PROJECT_ROLE_MEMBER) return "";
      return MakeText(project_messages::kYouAreMember, {{"project", name}});
    case MemberAction::kReject:
    case MemberAction::kRefuse:
      return MakeText(project_messages::kMembershipDeclined,
                      {{"project", name}});
    case MemberAction::kRemove:
      return MakeText(project_messages::kYouWereRemoved, {{"project", name}});
    case MemberAction::kTransferOwnership:
      return MakeText(project_messages::kYouAreOwner, {{"project", name}});
    default:
      return "";
  }
}

}  // namespace

absl::Status Projects::LetIn(Database& db, const ProjectRow& row,
                             const Person& newcomer, ProjectMember member,
                             ProjectRole project_role) const {
  const int all = row.members + row.invited + row.requested + row.waiting;
  const bool asks = project_role == v1::PROJECT_ROLE_REQUESTED;
  if (all >= kMaxMembers || (asks && row.requested >= kMaxRequests)) {
    return MakeError(project_messages::kTooManyMembers,
                     {{"members", all},
                      {"requests", row.requested},
                      {"max_members", kMaxMembers},
                      {"max_requests", kMaxRequests}});
  }
  ASSIGN_OR_RETURN(const ProjectMember namesake,
                   ReadMember(db, row.project.id, newcomer.username));
  if (namesake.project_role != v1::PROJECT_ROLE_UNSPECIFIED) {
    return MakeError(project_messages::kNamesake);
  }
  member.uid = newcomer.uid;
  member.username = newcomer.username;
  member.display_name = newcomer.display_name;
  member.project_role = project_role;
  member.since = parts_.clock->Now();
  return PutMember(db, row.project.id, member);
}

absl::StatusOr<ProjectView> Projects::Request(const Person& person,
                                              const ProjectId& id) {
  ASSIGN_OR_RETURN(
      std::optional<ProjectView> view,
      Edited(
          person, id,
          [&](Database& db, ProjectRow* row, ProjectState state,
              bool*) -> absl::Status {
            ASSIGN_OR_RETURN(
                const ProjectRole project_role,
                Judge({.act = MemberAction::kRequest,
                       .role = person.role,
                       .actor = row->project_role,
                       .is_self = true,
                       .target = row->project_role,
                       .state = state,
                       .takes_requests = row->project.settings.takes_requests,
                       .require_admin_approval =
                           config_.require_admin_approval}));
            ASSIGN_OR_RETURN(
                const int asked,
                CountMemberships(db, person.uid, v1::PROJECT_ROLE_REQUESTED));
            if (asked >= kMaxRequested) {
              return MakeError(project_messages::kTooManyRequests,
                               {{"projects", asked}, {"max", kMaxRequested}});
            }
            return LetIn(db, *row, person, {}, project_role);
          }));
  return *std::move(view);
}

absl::StatusOr<ProjectView> Projects::Invite(const Person& person,
                                             const ProjectId& id,
                                             const std::string& username) {
  // Users who may not invite must not learn which users exist.
  ASSIGN_OR_RETURN(const ProjectView before, Get(person, id));
  RETURN_IF_ERROR(Judge(v1::PROJECT_ACTION_INVITE, person.role,
                        before.row.project_role, before.row.project.state));
  const absl::StatusOr<Person> guest =
      IsUsername(username) ? parts_.directory->LookUp(username)
                           : MakeError(project_messages::kNoSuchUser);
  if (absl::IsNotFound(guest.status())) {
    return MakeError(project_messages::kNoSuchUser);
  }
  if (!guest.ok()) {
    LogWarning("user lookup failed", {{"error", StatusText(guest.status())}});
    return MakeError(project_messages::kDirectoryUnavailable);
  }
  ASSIGN_OR_RETURN(
      std::optional<ProjectView> view,
      Edited(person, id,
             [&](Database& db, ProjectRow* row, ProjectState state,
                 bool*) -> absl::Status {
               ASSIGN_OR_RETURN(const ProjectMember known,
                                ReadMember(db, id, guest->uid));
               ASSIGN_OR_RETURN(const ProjectRole project_role,
                                Judge({.act = MemberAction::kInvite,
                                       .role = person.role,
                                       .actor = row->project_role,
                                       .is_self = guest->uid == person.uid,
                                       .target = known.project_role,
                                       .state = state,
                                       .require_admin_approval =
                                           config_.require_admin_approval}));
               RETURN_IF_ERROR(LetIn(db, *row, *guest,
                                     {.approved_by = person.username},
                                     project_role));
               return project_role == v1::PROJECT_ROLE_INVITED
                          ? NotifyInvitee(db, guest->uid, person, *row)
                          : absl::OkStatus();
             }));
  return *std::move(view);
}

absl::StatusOr<Person> Projects::FindPerson(const std::string& username,
                                            const std::string& mail) const {
  if (username.empty() == mail.empty()) {
    return MakeError(project_messages::kUsernameOrMail);
  }
  absl::StatusOr<std::string> name = username;
  if (!mail.empty()) {
    name = parts_.directory->FindByMail(mail);
  }
  const absl::StatusOr<Person> person =
      !name.ok()           ? absl::StatusOr<Person>(name.status())
      : !IsUsername(*name) ? MakeError(project_messages::kNoSuchUser)
                           : parts_.directory->LookUp(*name);
  if (person.ok()) return person;
  const std::string& asked = mail.empty() ? username : mail;
  if (absl::IsNotFound(person.status())) {
    return MakeError(project_messages::kUserNotInDirectory, {{"user", asked}});
  }
  if (absl::IsFailedPrecondition(person.status())) {
    return MakeError(project_messages::kMailNotUnique, {{"mail", asked}});
  }
  LogWarning("user lookup failed", {{"error", StatusText(person.status())}});
  return MakeError(project_messages::kDirectoryUnavailable);
}

absl::StatusOr<Projects::Added> Projects::AddMember(const Person& administrator,
                                                    const ProjectId& id,
                                                    const std::string& username,
                                                    const std::string& mail,
                                                    ProjectRole project_role) {
  if (administrator.role != Role::kAdmin) {
    return MakeError(project_messages::kOnlyAdministrators);
  }
  if (project_role != v1::PROJECT_ROLE_MEMBER &&
      project_role != v1::PROJECT_ROLE_MANAGER) {
    return MakeError(project_messages::kInvalidRole);
  }
  RETURN_IF_ERROR(Get(administrator, id).status());
  ASSIGN_OR_RETURN(const Person person, FindPerson(username, mail));
  Added added{.username = person.username};
  ASSIGN_OR_RETURN(
      std::optional<ProjectView> view,
      Edited(administrator, id,
             [&](Database& db, ProjectRow* row, ProjectState state,
                 bool*) -> absl::Status {
               if (state != v1::PROJECT_STATE_ACTIVE) {
                 return MakeError(project_messages::kNotActive);
               }
               ASSIGN_OR_RETURN(ProjectMember member,
                                ReadMember(db, id, person.uid));
               if (member.project_role >= project_role) return absl::OkStatus();
               added.changed = true;
               const bool was_member = IsMember(member.project_role);
               member.approved_by = administrator.username;
               member.confirmed_by = administrator.username;
               if (member.project_role == v1::PROJECT_ROLE_UNSPECIFIED) {
                 RETURN_IF_ERROR(LetIn(db, *row, person, member, project_role));
               } else {
                 member.project_role = project_role;
                 member.since = parts_.clock->Now();
                 RETURN_IF_ERROR(PutMember(db, id, member));
               }
               if (person.uid == administrator.uid) return absl::OkStatus();
               return NotifyUser(
                   db, person.uid, *row,
                   MakeText(was_member ? project_messages::kYouWereMadeManager
                            : project_role == v1::PROJECT_ROLE_MANAGER
                                ? project_messages::kYouWereAddedAsManager
                                : project_messages::kYouWereAdded,
                            {{"administrator", administrator.username},
                             {"project", row->project.settings.name}}));
             }));
  added.view = *std::move(view);
  return added;
}

absl::StatusOr<std::optional<ProjectView>> Projects::ApplyMemberAction(
    const Person& person, const ProjectId& id,
    const std::optional<std::string>& username, MemberAction act) {
  if (act == MemberAction::kInvite || act == MemberAction::kRequest) {
    return MakeError(project_messages::kInvalidMemberAction);
  }
  return Edited(
      person, id,
      [&](Database& db, ProjectRow* row, ProjectState state,
          bool*) -> absl::Status {
        if (!Sees(person.role, row->project_role)) return NoProject();
        ASSIGN_OR_RETURN(ProjectMember target,
                         username ? ReadMember(db, id, *username)
                                  : ReadMember(db, id, person.uid));
        ASSIGN_OR_RETURN(
            const ProjectRole project_role,
            Judge({.act = act,
                   .role = person.role,
                   .actor = row->project_role,
                   .is_self = !username || target.uid == person.uid,
                   .target = target.project_role,
                   .state = state,
                   .require_admin_approval = config_.require_admin_approval}));
        return Move(db, *row, person, std::move(target), act, project_role);
      });
}

absl::Status Projects::Move(Database& db, const ProjectRow& row,
                            const Person& actor, ProjectMember target,
                            MemberAction act, ProjectRole project_role) const {
  // First, so that there is never a second owner.
  if (act == MemberAction::kTransferOwnership)
    RETURN_IF_ERROR(HandOver(db, row, actor));
  target.project_role = project_role;
  target.since = parts_.clock->Now();
  if (act == MemberAction::kApprove) target.approved_by = actor.username;
  if (act == MemberAction::kConfirm) target.confirmed_by = actor.username;
  RETURN_IF_ERROR(PutMember(db, row.project.id, target));
  const DisplayText notice = NoticeOf(act, project_role, row);
  if (notice.empty() || target.uid == actor.uid) return absl::OkStatus();
  return NotifyUser(db, target.uid, row, notice);
}

absl::Status Projects::HandOver(Database& db, const ProjectRow& row,
                                const Person& actor) const {
  ASSIGN_OR_RETURN(std::vector<ProjectMember> members,
                   ReadMembers(db, row.project.id));
  ProjectMember& owner = members.at(0);
  if (owner.project_role != v1::PROJECT_ROLE_OWNER) {
    return absl::InternalError("a project has no owner");
  }
  owner.project_role = v1::PROJECT_ROLE_MANAGER;
  owner.since = parts_.clock->Now();
  RETURN_IF_ERROR(PutMember(db, row.project.id, owner));
  if (owner.uid == actor.uid) return absl::OkStatus();
  return NotifyUser(db, owner.uid, row,
                    MakeText(project_messages::kHandedOver,
                             {{"project", row.project.settings.name}}));
}

absl::Status Projects::NotifyInvitee(Database& db, Uid uid, const Person& host,
                                     const ProjectRow& row) const {
  const absl::Time now = parts_.clock->Now();
  const std::string& id = row.project.id.value();
  return PostEvent(
      db,
      {.uid = uid,
       .kind = v1::NOTIFICATION_KIND_PROJECT,
       .subject = id,
       .text = MakeText(
           project_messages::kInvited,
           {{"project", row.project.settings.name}, {"user", host.username}}),
       // At most once a day, even if the invitation is repeated.
       .key = absl::StrCat("invited/", id, "/", uid.value(), "/",
                           absl::ToUnixSeconds(now) / (24 * 3600))},
      now);
}

absl::Status Projects::NotifyUser(Database& db, Uid uid, const ProjectRow& row,
                                  const DisplayText& text) const {
  const Event event{.uid = uid,
                    .kind = v1::NOTIFICATION_KIND_PROJECT,
                    .subject = row.project.id.value(),
                    .text = text};
  return PostEvent(db, event, parts_.clock->Now());
}

}  // namespace carme::backend
