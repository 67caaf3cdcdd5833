#include "backend/projects/project_rules.h"

#include "backend/projects/messages.h"
#include "common/protobuf/message_error.h"
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
  bool grows;                  // adds a member: only in an active project
  const ErrorTemplate* error;  // for a member in another state
};

Rule RuleOf(MemberAction act) {
  switch (act) {
    case MemberAction::kRequest:
      return {By::kSelf, true, &project_messages::kNeedsNoRole};
    case MemberAction::kAccept:
      return {By::kSelf, true, &project_messages::kNeedsInvitation};
    case MemberAction::kDecline:
      return {By::kSelf, false, &project_messages::kNeedsInvitation};
    case MemberAction::kWithdraw:
      return {By::kSelf, false, &project_messages::kNeedsRequest};
    case MemberAction::kLeave:
      return {By::kSelf, false, &project_messages::kOwnerMustHandOver};
    case MemberAction::kInvite:
      return {By::kManagers, true, &project_messages::kNeedsNoRole};
    case MemberAction::kApprove:
      return {By::kManagers, true, &project_messages::kNeedsRequest};
    case MemberAction::kReject:
      return {By::kManagers, false, &project_messages::kNeedsRequest};
    case MemberAction::kRevoke:
      return {By::kManagers, false, &project_messages::kNeedsInvitation};
    case MemberAction::kRemove:
      return {By::kManagers, false, &project_messages::kNeedsOtherThanOwner};
    case MemberAction::kConfirm:
      return {By::kAdministrators, true,
              &project_messages::kNeedsWaitingMember};
    case MemberAction::kRefuse:
      return {By::kAdministrators, false,
              &project_messages::kNeedsWaitingMember};
    case MemberAction::kPromote:
      return {By::kOwner, false, &project_messages::kNeedsPlainMember};
    case MemberAction::kDemote:
      return {By::kOwner, false, &project_messages::kNeedsManager};
    case MemberAction::kTransferOwnership:
      return {By::kOwner, false, &project_messages::kNewOwnerMustManage};
  }
  return {By::kAdministrators, true, &project_messages::kUnknownAction};
}

absl::Status CheckActor(const MemberActionInput& asked, const Rule& rule) {
  const bool is_admin = asked.role == Role::kAdmin;
  switch (rule.by) {
    case By::kSelf:
      if (asked.is_self) return absl::OkStatus();
      return MakeError(project_messages::kOnlyMember);
    case By::kManagers:
      // An owner may remove managers; a manager may remove only members.
      if (asked.act == MemberAction::kRemove &&
          asked.target == v1::PROJECT_ROLE_MANAGER &&
          asked.actor == v1::PROJECT_ROLE_MANAGER && !is_admin) {
        return MakeError(project_messages::kOnlyOwnerRemovesManagers);
      }
      if (Manages(asked.actor) || is_admin) return absl::OkStatus();
      return MakeError(project_messages::kOnlyManagers);
    case By::kOwner:
      if (asked.actor == v1::PROJECT_ROLE_OWNER || is_admin)
        return absl::OkStatus();
      // A member may always give up their role.
      if (asked.act == MemberAction::kDemote && asked.is_self) {
        return absl::OkStatus();
      }
      return MakeError(project_messages::kOnlyOwner);
    case By::kAdministrators:
      if (is_admin) return absl::OkStatus();
      return MakeError(project_messages::kOnlyAdministrators);
  }
  return MakeError(project_messages::kUnknownAction);
}

absl::Status CheckState(ProjectState state, bool grows) {
  switch (state) {
    case v1::PROJECT_STATE_ACTIVE:
      return absl::OkStatus();
    case v1::PROJECT_STATE_REQUESTED:
      return MakeError(project_messages::kWaitsForApproval);
    case v1::PROJECT_STATE_EXPIRED:
      if (!grows) return absl::OkStatus();
      return MakeError(project_messages::kExpired);
    case v1::PROJECT_STATE_CLOSED:
      if (!grows) return absl::OkStatus();
      return MakeError(project_messages::kClosed);
    default:
      return MakeError(project_messages::kUnknownState);
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

absl::Status NoProject() { return MakeError(project_messages::kNotFound); }

absl::StatusOr<ProjectRole> Judge(const MemberActionInput& asked) {
  if (!MayKnow(asked)) return NoProject();
  const Rule rule = RuleOf(asked.act);
  RETURN_IF_ERROR(CheckActor(asked, rule));
  if (asked.act == MemberAction::kRequest && !asked.takes_requests) {
    return MakeError(project_messages::kTakesNoRequests);
  }
  RETURN_IF_ERROR(CheckState(asked.state, rule.grows));
  const Step step = StepOf(asked);
  if (step.fits) return step.to;
  if (asked.target == v1::PROJECT_ROLE_UNSPECIFIED) {
    return MakeError(project_messages::kNoSuchMember);
  }
  return MakeError(*rule.error);
}

absl::Status Judge(ProjectAction act, Role role, ProjectRole actor,
                   ProjectState state) {
  if (!Sees(role, actor, state)) return NoProject();
  const bool is_admin = role == Role::kAdmin;
  const bool owns = is_admin || actor == v1::PROJECT_ROLE_OWNER;
  const auto require = [](bool holds, const ErrorTemplate& error) {
    return holds ? absl::OkStatus() : MakeError(error);
  };
  switch (act) {
    case v1::PROJECT_ACTION_APPROVE:
    case v1::PROJECT_ACTION_REJECT:
      RETURN_IF_ERROR(require(is_admin || (role == Role::kManager &&
                                           actor != v1::PROJECT_ROLE_OWNER),
                              project_messages::kOnlyApprovers));
      return require(state == v1::PROJECT_STATE_REQUESTED,
                     project_messages::kNotRequested);
    case v1::PROJECT_ACTION_REOPEN:
      RETURN_IF_ERROR(require(is_admin, project_messages::kOnlyAdministrators));
      return require(state == v1::PROJECT_STATE_CLOSED,
                     project_messages::kNotClosed);
    case v1::PROJECT_ACTION_SET_TERMS:
      RETURN_IF_ERROR(require(is_admin, project_messages::kOnlyAdministrators));
      return require(state != v1::PROJECT_STATE_CLOSED,
                     project_messages::kAlreadyClosed);
    case v1::PROJECT_ACTION_CLOSE:
    case v1::PROJECT_ACTION_CHANGE:
      RETURN_IF_ERROR(require(owns, project_messages::kOnlyOwner));
      return require(state != v1::PROJECT_STATE_CLOSED,
                     project_messages::kAlreadyClosed);
    case v1::PROJECT_ACTION_INVITE:
      RETURN_IF_ERROR(
          require(is_admin || Manages(actor), project_messages::kOnlyManagers));
      return CheckState(state, /*grows=*/true);
    default:
      return MakeError(project_messages::kUnknownAction);
  }
}

ProjectState BeginsAs(Role role, bool require_admin_approval) {
  const bool at_once = role == Role::kAdmin ||
                       (role == Role::kManager && !require_admin_approval);
  return at_once ? v1::PROJECT_STATE_ACTIVE : v1::PROJECT_STATE_REQUESTED;
}

absl::Status JudgeJob(ProjectRole project_role, ProjectState state) {
  if (project_role == v1::PROJECT_ROLE_UNSPECIFIED) {
    return MakeError(project_messages::kNotYours);
  }
  if (!IsMember(project_role)) {
    return MakeError(project_messages::kNotAMemberYet);
  }
  switch (state) {
    case v1::PROJECT_STATE_ACTIVE:
      return absl::OkStatus();
    case v1::PROJECT_STATE_REQUESTED:
      return MakeError(project_messages::kWaitsForApproval);
    case v1::PROJECT_STATE_EXPIRED:
      return MakeError(project_messages::kExpiredForJobs);
    default:
      return MakeError(project_messages::kClosedForJobs);
  }
}

}  // namespace carme::backend
