#include "backend/projects/project_rules.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Who may do an act, as far as the one who acts is concerned.
enum class By {
  kSelf,           // the person it is about, and nobody for them
  kManagers,       // of the project, and administrators
  kOwner,          // of the project, and administrators
  kAdministrators  // of the site
};

struct Rule {
  By by;
  bool grows;         // brings somebody in: only where the project runs
  const char* needs;  // where the person must stand, in words
};

Rule RuleOf(MemberAct act) {
  switch (act) {
    case MemberAct::kRequest:
      return {By::kSelf, true, "somebody with no place in it"};
    case MemberAct::kAccept:
      return {By::kSelf, true, "an invitation"};
    case MemberAct::kDecline:
      return {By::kSelf, false, "an invitation"};
    case MemberAct::kWithdraw:
      return {By::kSelf, false, "a request"};
    case MemberAct::kLeave:
      return {By::kSelf, false,
              "a member who is not the owner: hand the project over first"};
    case MemberAct::kInvite:
      return {By::kManagers, true, "somebody with no place in it"};
    case MemberAct::kApprove:
      return {By::kManagers, true, "a request"};
    case MemberAct::kReject:
      return {By::kManagers, false, "a request"};
    case MemberAct::kRevoke:
      return {By::kManagers, false, "an invitation"};
    case MemberAct::kRemove:
      return {By::kManagers, false, "a member who is not the owner"};
    case MemberAct::kConfirm:
      return {By::kAdministrators, true, "a membership that waits for you"};
    case MemberAct::kRefuse:
      return {By::kAdministrators, false, "a membership that waits for you"};
    case MemberAct::kMakeManager:
      return {By::kOwner, false, "a member"};
    case MemberAct::kUnmakeManager:
      return {By::kOwner, false, "a manager"};
    case MemberAct::kHandOver:
      return {By::kOwner, false, "a manager of the project"};
  }
  return {By::kAdministrators, true, "nobody"};
}

absl::Status CheckActor(const MemberQuestion& asked, const Rule& rule) {
  const bool is_admin = asked.role == Role::kAdmin;
  switch (rule.by) {
    case By::kSelf:
      if (asked.is_self) return absl::OkStatus();
      return absl::PermissionDeniedError("only they themselves may do this");
    case By::kManagers:
      // An owner removes managers; a manager only those below.
      if (asked.act == MemberAct::kRemove && asked.target == Place::kManager &&
          asked.actor == Place::kManager && !is_admin) {
        return absl::PermissionDeniedError(
            "only the project's owner may remove a manager");
      }
      if (Manages(asked.actor) || is_admin) return absl::OkStatus();
      return absl::PermissionDeniedError(
          "only the project's managers may do this");
    case By::kOwner:
      if (asked.actor == Place::kOwner || is_admin) return absl::OkStatus();
      // Nobody needs leave to step back.
      if (asked.act == MemberAct::kUnmakeManager && asked.is_self) {
        return absl::OkStatus();
      }
      return absl::PermissionDeniedError(
          "only the project's owner may do this");
    case By::kAdministrators:
      if (is_admin) return absl::OkStatus();
      return absl::PermissionDeniedError("only administrators may do this");
  }
  return absl::PermissionDeniedError("nobody may do this");
}

absl::Status CheckState(ProjectState state, bool grows) {
  switch (state) {
    case ProjectState::kActive:
      return absl::OkStatus();
    case ProjectState::kRequested:
      return absl::FailedPreconditionError(
          "the project waits for approval: expected an active one");
    case ProjectState::kExpired:
      if (!grows) return absl::OkStatus();
      return absl::FailedPreconditionError(
          "the project has expired: an administrator may extend it");
    case ProjectState::kClosed:
      if (!grows) return absl::OkStatus();
      return absl::FailedPreconditionError(
          "the project is closed: an administrator may open it again");
  }
  return absl::FailedPreconditionError("the project is in no known state");
}

// Where the act leads from `asked.target`; kNone to kNone where it does not.
struct Step {
  bool fits;
  Place to;
};

Step StepOf(const MemberQuestion& asked) {
  const Place from = asked.target;
  // Both sides have said yes.
  const Place agreed =
      asked.administrator_confirms ? Place::kWaiting : Place::kMember;
  const bool inside = from == Place::kWaiting || from == Place::kMember ||
                      from == Place::kManager;
  switch (asked.act) {
    case MemberAct::kRequest:
      return {from == Place::kNone, Place::kRequested};
    case MemberAct::kInvite:
      return {from == Place::kNone, Place::kInvited};
    case MemberAct::kAccept:
      return {from == Place::kInvited, agreed};
    case MemberAct::kApprove:
      return {from == Place::kRequested, agreed};
    case MemberAct::kDecline:
    case MemberAct::kRevoke:
      return {from == Place::kInvited, Place::kNone};
    case MemberAct::kWithdraw:
    case MemberAct::kReject:
      return {from == Place::kRequested, Place::kNone};
    case MemberAct::kLeave:
    case MemberAct::kRemove:
      return {inside, Place::kNone};
    case MemberAct::kConfirm:
      return {from == Place::kWaiting, Place::kMember};
    case MemberAct::kRefuse:
      return {from == Place::kWaiting, Place::kNone};
    case MemberAct::kMakeManager:
      return {from == Place::kMember, Place::kManager};
    case MemberAct::kUnmakeManager:
      return {from == Place::kManager, Place::kMember};
    case MemberAct::kHandOver:
      return {from == Place::kManager, Place::kOwner};
  }
  return {false, from};
}

// Whoever has the id may ask to join, where the project wants that.
bool MayKnow(const MemberQuestion& asked) {
  // Who decides about a requested project has no say about its people.
  if (Sees(asked.role, asked.actor)) return true;
  return asked.act == MemberAct::kRequest && asked.is_self &&
         asked.takes_requests && asked.state == ProjectState::kActive;
}

}  // namespace

absl::Status NoProject() {
  return absl::NotFoundError("there is no such project");
}

absl::StatusOr<Place> Judge(const MemberQuestion& asked) {
  if (!MayKnow(asked)) return NoProject();
  const Rule rule = RuleOf(asked.act);
  RETURN_IF_ERROR(CheckActor(asked, rule));
  if (asked.act == MemberAct::kRequest && !asked.takes_requests) {
    return absl::PermissionDeniedError("the project takes no requests");
  }
  RETURN_IF_ERROR(CheckState(asked.state, rule.grows));
  const Step step = StepOf(asked);
  if (step.fits) return step.to;
  if (asked.target == Place::kNone) {
    return absl::NotFoundError("there is nobody of that name in the project");
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "not from where this person stands in the project: expected ",
      rule.needs));
}

absl::Status Judge(ProjectAct act, Role role, Place actor, ProjectState state) {
  if (!Sees(role, actor, state)) return NoProject();
  const bool is_admin = role == Role::kAdmin;
  const bool owns = is_admin || actor == Place::kOwner;
  const auto only = [](bool may, const char* who) {
    return may ? absl::OkStatus()
               : absl::PermissionDeniedError(
                     absl::StrCat("only ", who, " may do this"));
  };
  const auto when = [](bool fits, const char* expected) {
    return fits ? absl::OkStatus()
                : absl::FailedPreconditionError(absl::StrCat(
                      "not as the project stands: expected ", expected));
  };
  switch (act) {
    case ProjectAct::kApprove:
    case ProjectAct::kRefuse:
      RETURN_IF_ERROR(
          only(is_admin || (role == Role::kManager && actor != Place::kOwner),
               "administrators, and managers of the site for projects of "
               "others,"));
      return when(state == ProjectState::kRequested, "one that waits for you");
    case ProjectAct::kReopen:
      RETURN_IF_ERROR(only(is_admin, "administrators"));
      return when(state == ProjectState::kClosed, "a closed one");
    case ProjectAct::kSetTerms:
      RETURN_IF_ERROR(only(is_admin, "administrators"));
      return when(state != ProjectState::kClosed, "one that is not closed");
    case ProjectAct::kClose:
    case ProjectAct::kChange:
      RETURN_IF_ERROR(only(owns, "the project's owner"));
      return when(state != ProjectState::kClosed, "one that is not closed");
    case ProjectAct::kInvite:
      RETURN_IF_ERROR(
          only(is_admin || Manages(actor), "the project's managers"));
      return CheckState(state, /*grows=*/true);
  }
  return absl::PermissionDeniedError("nobody may do this");
}

ProjectState BeginsAs(Role role, bool administrator_confirms) {
  const bool at_once = role == Role::kAdmin ||
                       (role == Role::kManager && !administrator_confirms);
  return at_once ? ProjectState::kActive : ProjectState::kRequested;
}

absl::Status JudgeJob(Place place, ProjectState state) {
  if (place == Place::kNone) {
    return absl::NotFoundError(
        "project is not one of yours: expected one that you are a member of");
  }
  if (!IsMember(place)) {
    return absl::FailedPreconditionError(
        "you are no member of the project yet: expected that its managers and "
        "you have agreed, and an administrator where the site wants one");
  }
  switch (state) {
    case ProjectState::kActive:
      return absl::OkStatus();
    case ProjectState::kRequested:
      return absl::FailedPreconditionError(
          "the project waits for approval: expected an active one");
    case ProjectState::kExpired:
      return absl::FailedPreconditionError(
          "the project has expired: expected an active one");
    case ProjectState::kClosed:
      break;
  }
  return absl::FailedPreconditionError(
      "the project is closed: expected an active one");
}

}  // namespace carme::backend
