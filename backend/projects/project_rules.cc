#include "backend/projects/project_rules.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Who may perform an operation.
enum class By {
  kSelf,           // only the member that it concerns
  kManagers,       // of the project, and administrators
  kOwner,          // of the project, and administrators
  kAdministrators  // of the site
};

struct Rule {
  By by;
  bool grows;         // adds a member: only in an active project
  const char* needs;  // the required state of the member, for messages
};

Rule RuleOf(MemberAction act) {
  switch (act) {
    case MemberAction::kRequest:
      return {By::kSelf, true, "a user without a role"};
    case MemberAction::kAccept:
      return {By::kSelf, true, "an invitation"};
    case MemberAction::kDecline:
      return {By::kSelf, false, "an invitation"};
    case MemberAction::kWithdraw:
      return {By::kSelf, false, "a request"};
    case MemberAction::kLeave:
      return {By::kSelf, false,
              "a member who is not the owner; hand over the project first"};
    case MemberAction::kInvite:
      return {By::kManagers, true, "a user without a role"};
    case MemberAction::kApprove:
      return {By::kManagers, true, "a request"};
    case MemberAction::kReject:
      return {By::kManagers, false, "a request"};
    case MemberAction::kRevoke:
      return {By::kManagers, false, "an invitation"};
    case MemberAction::kRemove:
      return {By::kManagers, false, "a member who is not the owner"};
    case MemberAction::kConfirm:
      return {By::kAdministrators, true, "a membership that waits for you"};
    case MemberAction::kRefuse:
      return {By::kAdministrators, false, "a membership that waits for you"};
    case MemberAction::kPromote:
      return {By::kOwner, false, "a member"};
    case MemberAction::kDemote:
      return {By::kOwner, false, "a manager"};
    case MemberAction::kTransferOwnership:
      return {By::kOwner, false, "a manager of the project"};
  }
  return {By::kAdministrators, true, "a known operation"};
}

absl::Status CheckActor(const MemberActionInput& asked, const Rule& rule) {
  const bool is_admin = asked.role == Role::kAdmin;
  switch (rule.by) {
    case By::kSelf:
      if (asked.is_self) return absl::OkStatus();
      return absl::PermissionDeniedError("only the member may do this");
    case By::kManagers:
      // An owner may remove managers; a manager may remove only members.
      if (asked.act == MemberAction::kRemove &&
          asked.target == v1::PROJECT_ROLE_MANAGER &&
          asked.actor == v1::PROJECT_ROLE_MANAGER && !is_admin) {
        return absl::PermissionDeniedError(
            "only the owner of the project may remove a manager");
      }
      if (Manages(asked.actor) || is_admin) return absl::OkStatus();
      return absl::PermissionDeniedError(
          "only the project's managers may do this");
    case By::kOwner:
      if (asked.actor == v1::PROJECT_ROLE_OWNER || is_admin)
        return absl::OkStatus();
      // A member may always give up their role.
      if (asked.act == MemberAction::kDemote && asked.is_self) {
        return absl::OkStatus();
      }
      return absl::PermissionDeniedError(
          "only the project's owner may do this");
    case By::kAdministrators:
      if (is_admin) return absl::OkStatus();
      return absl::PermissionDeniedError("only administrators may do this");
  }
  return absl::PermissionDeniedError("this action is not allowed");
}

absl::Status CheckState(ProjectState state, bool grows) {
  switch (state) {
    case v1::PROJECT_STATE_ACTIVE:
      return absl::OkStatus();
    case v1::PROJECT_STATE_REQUESTED:
      return absl::FailedPreconditionError(
          "the project is waiting for approval");
    case v1::PROJECT_STATE_EXPIRED:
      if (!grows) return absl::OkStatus();
      return absl::FailedPreconditionError(
          "the project has expired; an administrator can extend it");
    case v1::PROJECT_STATE_CLOSED:
      if (!grows) return absl::OkStatus();
      return absl::FailedPreconditionError(
          "the project is closed; an administrator can reopen it");
    default:
      return absl::FailedPreconditionError("the project has an unknown state");
  }
}

// The role after the operation on `asked.target`; unchanged: not possible.
struct Step {
  bool fits;
  ProjectRole to;
};

Step StepOf(const MemberActionInput& asked) {
  const ProjectRole from = asked.target;
  // The member and the project have agreed.
  const ProjectRole agreed = asked.require_admin_approval
                                 ? v1::PROJECT_ROLE_WAITING
                                 : v1::PROJECT_ROLE_MEMBER;
  const bool inside = from == v1::PROJECT_ROLE_WAITING ||
                      from == v1::PROJECT_ROLE_MEMBER ||
                      from == v1::PROJECT_ROLE_MANAGER;
  switch (asked.act) {
    case MemberAction::kRequest:
      return {from == v1::PROJECT_ROLE_UNSPECIFIED, v1::PROJECT_ROLE_REQUESTED};
    case MemberAction::kInvite:
      return {from == v1::PROJECT_ROLE_UNSPECIFIED, v1::PROJECT_ROLE_INVITED};
    case MemberAction::kAccept:
      return {from == v1::PROJECT_ROLE_INVITED, agreed};
    case MemberAction::kApprove:
      return {from == v1::PROJECT_ROLE_REQUESTED, agreed};
    case MemberAction::kDecline:
    case MemberAction::kRevoke:
      return {from == v1::PROJECT_ROLE_INVITED, v1::PROJECT_ROLE_UNSPECIFIED};
    case MemberAction::kWithdraw:
    case MemberAction::kReject:
      return {from == v1::PROJECT_ROLE_REQUESTED, v1::PROJECT_ROLE_UNSPECIFIED};
    case MemberAction::kLeave:
    case MemberAction::kRemove:
      return {inside, v1::PROJECT_ROLE_UNSPECIFIED};
    case MemberAction::kConfirm:
      return {from == v1::PROJECT_ROLE_WAITING, v1::PROJECT_ROLE_MEMBER};
    case MemberAction::kRefuse:
      return {from == v1::PROJECT_ROLE_WAITING, v1::PROJECT_ROLE_UNSPECIFIED};
    case MemberAction::kPromote:
      return {from == v1::PROJECT_ROLE_MEMBER, v1::PROJECT_ROLE_MANAGER};
    case MemberAction::kDemote:
      return {from == v1::PROJECT_ROLE_MANAGER, v1::PROJECT_ROLE_MEMBER};
    case MemberAction::kTransferOwnership:
      return {from == v1::PROJECT_ROLE_MANAGER, v1::PROJECT_ROLE_OWNER};
  }
  return {false, from};
}

// A user with the id may request to join if the project takes requests.
bool MayKnow(const MemberActionInput& asked) {
  // The permission to approve a project does not include its members.
  if (Sees(asked.role, asked.actor)) return true;
  return asked.act == MemberAction::kRequest && asked.is_self &&
         asked.takes_requests && asked.state == v1::PROJECT_STATE_ACTIVE;
}

}  // namespace

absl::Status NoProject() { return absl::NotFoundError("project not found"); }

absl::StatusOr<ProjectRole> Judge(const MemberActionInput& asked) {
  if (!MayKnow(asked)) return NoProject();
  const Rule rule = RuleOf(asked.act);
  RETURN_IF_ERROR(CheckActor(asked, rule));
  if (asked.act == MemberAction::kRequest && !asked.takes_requests) {
    return absl::PermissionDeniedError("the project does not accept requests");
  }
  RETURN_IF_ERROR(CheckState(asked.state, rule.grows));
  const Step step = StepOf(asked);
  if (step.fits) return step.to;
  if (asked.target == v1::PROJECT_ROLE_UNSPECIFIED) {
    return absl::NotFoundError("no such member in the project");
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "not possible for the current role in the project: expected ",
      rule.needs));
}

absl::Status Judge(ProjectAction act, Role role, ProjectRole actor,
                   ProjectState state) {
  if (!Sees(role, actor, state)) return NoProject();
  const bool is_admin = role == Role::kAdmin;
  const bool owns = is_admin || actor == v1::PROJECT_ROLE_OWNER;
  const auto only = [](bool may, const char* who) {
    return may ? absl::OkStatus()
               : absl::PermissionDeniedError(
                     absl::StrCat("only ", who, " may do this"));
  };
  const auto when = [](bool fits, const char* expected) {
    return fits ? absl::OkStatus()
                : absl::FailedPreconditionError(
                      absl::StrCat("not possible in the current state of the "
                                   "project: expected ",
                                   expected));
  };
  switch (act) {
    case v1::PROJECT_ACTION_APPROVE:
    case v1::PROJECT_ACTION_REJECT:
      RETURN_IF_ERROR(
          only(is_admin ||
                   (role == Role::kManager && actor != v1::PROJECT_ROLE_OWNER),
               "administrators, and managers of the site for projects of "
               "others,"));
      return when(state == v1::PROJECT_STATE_REQUESTED,
                  "one that waits for you");
    case v1::PROJECT_ACTION_REOPEN:
      RETURN_IF_ERROR(only(is_admin, "administrators"));
      return when(state == v1::PROJECT_STATE_CLOSED, "a closed one");
    case v1::PROJECT_ACTION_SET_TERMS:
      RETURN_IF_ERROR(only(is_admin, "administrators"));
      return when(state != v1::PROJECT_STATE_CLOSED, "one that is not closed");
    case v1::PROJECT_ACTION_CLOSE:
    case v1::PROJECT_ACTION_CHANGE:
      RETURN_IF_ERROR(only(owns, "the project's owner"));
      return when(state != v1::PROJECT_STATE_CLOSED, "one that is not closed");
    case v1::PROJECT_ACTION_INVITE:
      RETURN_IF_ERROR(
          only(is_admin || Manages(actor), "the project's managers"));
      return CheckState(state, /*grows=*/true);
    default:
      return absl::PermissionDeniedError("this action does not exist");
  }
}

ProjectState BeginsAs(Role role, bool require_admin_approval) {
  const bool at_once = role == Role::kAdmin ||
                       (role == Role::kManager && !require_admin_approval);
  return at_once ? v1::PROJECT_STATE_ACTIVE : v1::PROJECT_STATE_REQUESTED;
}

absl::Status JudgeJob(ProjectRole project_role, ProjectState state) {
  if (project_role == v1::PROJECT_ROLE_UNSPECIFIED) {
    return absl::NotFoundError(
        "project is not one of yours: expected one that you are a member of");
  }
  if (!IsMember(project_role)) {
    return absl::FailedPreconditionError(
        "you are not a member of the project yet: its managers and you must "
        "agree, and also an administrator if the site requires it");
  }
  switch (state) {
    case v1::PROJECT_STATE_ACTIVE:
      return absl::OkStatus();
    case v1::PROJECT_STATE_REQUESTED:
      return absl::FailedPreconditionError(
          "the project is waiting for approval");
    case v1::PROJECT_STATE_EXPIRED:
      return absl::FailedPreconditionError(
          "the project has expired: expected an active one");
    default:
      return absl::FailedPreconditionError(
          "the project is closed: expected an active one");
  }
}

}  // namespace carme::backend
