// Who may do what in a project, and the result: pure functions. The allowed
// actions on the pages come from here too.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_RULES_H_
#define CARME_BACKEND_PROJECTS_PROJECT_RULES_H_

#include <array>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/role.h"
#include "backend/projects/project.h"

namespace carme::backend {

// An operation on a member. The numbers are those of carme.v1.MemberAction; it
// lacks the last two, which concern users without a role in the project.
enum class MemberAction {
  kAccept = 1,
  kDecline = 2,
  kWithdraw = 3,
  kLeave = 4,
  kApprove = 5,
  kReject = 6,
  kRevoke = 7,
  kRemove = 8,
  kConfirm = 9,
  kRefuse = 10,
  kPromote = 11,
  kDemote = 12,
  kTransferOwnership = 13,
  kInvite = 100,
  kRequest = 101,
};

inline constexpr std::array kMemberActions = {
    MemberAction::kAccept,
    MemberAction::kDecline,
    MemberAction::kWithdraw,
    MemberAction::kLeave,
    MemberAction::kApprove,
    MemberAction::kReject,
    MemberAction::kRevoke,
    MemberAction::kRemove,
    MemberAction::kConfirm,
    MemberAction::kRefuse,
    MemberAction::kPromote,
    MemberAction::kDemote,
    MemberAction::kTransferOwnership,
    MemberAction::kInvite,
    MemberAction::kRequest,
};

// The input of a decision about a member.
struct MemberActionInput {
  MemberAction act{};
  Role role = Role::kUser;  // of the actor at the site
  ProjectRole actor = v1::PROJECT_ROLE_UNSPECIFIED;
  bool is_self = false;  // the actor is the target
  ProjectRole target = v1::PROJECT_ROLE_UNSPECIFIED;
  ProjectState state{};
  bool takes_requests = true;
  bool require_admin_approval = true;
};

// The new role of the target; after kTransferOwnership the owner becomes a
// manager. NOT_FOUND: the actor cannot see the project, or the target is not in
// it; PERMISSION_DENIED: not allowed for the actor; FAILED_PRECONDITION: not
// possible in the current state of target or project. Messages are for the
// actor.
absl::StatusOr<ProjectRole> Judge(const MemberActionInput& question);

// The error for a project that the caller cannot see: as if it did not exist.
absl::Status NoProject();

// An operation on a project.
using ProjectAction = v1::ProjectAction;

inline constexpr std::array kProjectActions = {
    v1::PROJECT_ACTION_APPROVE,  v1::PROJECT_ACTION_REJECT,
    v1::PROJECT_ACTION_CLOSE,    v1::PROJECT_ACTION_REOPEN,
    v1::PROJECT_ACTION_CHANGE,   v1::PROJECT_ACTION_INVITE,
    v1::PROJECT_ACTION_SET_TERMS};

// The same for an action on the project itself.
absl::Status Judge(ProjectAction act, Role role, ProjectRole actor,
                   ProjectState state);

// Whether the user may approve a requested project: administrators may, and the
// role manager may for projects of others.
constexpr bool DecidesAbout(Role role, ProjectRole project_role,
                            ProjectState state) {
  return state == v1::PROJECT_STATE_REQUESTED &&
         (role == Role::kAdmin ||
          (role == Role::kManager && project_role != v1::PROJECT_ROLE_OWNER));
}

// Whether the user can see the project: by project role, by site role, or, in
// this state, because the user may approve it.
constexpr bool Sees(Role role, ProjectRole project_role) {
  return project_role != v1::PROJECT_ROLE_UNSPECIFIED || ReadsEverything(role);
}
constexpr bool Sees(Role role, ProjectRole project_role, ProjectState state) {
  return Sees(role, project_role) || DecidesAbout(role, project_role, state);
}

// The initial state of a new project of a user with this role.
ProjectState BeginsAs(Role role, bool require_admin_approval);

// Whether a user with this role may start a job. NOT_FOUND: no role in the
// project; FAILED_PRECONDITION: not a member yet, or the project is not active.
// Messages are for the user.
absl::Status JudgeJob(ProjectRole project_role, ProjectState state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_RULES_H_
