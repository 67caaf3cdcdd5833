// Who may do what in a project, and where it leads: pure functions, the only
// place where that stands. The pages learn it from here, too.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_RULES_H_
#define CARME_BACKEND_PROJECTS_PROJECT_RULES_H_

#include <array>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/role.h"
#include "backend/projects/project.h"

namespace carme::backend {

// The numbers are carme.v1.MemberAction's, but for the two that have an rpc of
// their own.
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
  kMakeManager = 11,
  kUnmakeManager = 12,
  kHandOver = 13,
  kInvite = 100,
  kRequest = 101,
};

inline constexpr std::array kMemberActions = {
    MemberAction::kAccept,      MemberAction::kDecline,
    MemberAction::kWithdraw,    MemberAction::kLeave,
    MemberAction::kApprove,     MemberAction::kReject,
    MemberAction::kRevoke,      MemberAction::kRemove,
    MemberAction::kConfirm,     MemberAction::kRefuse,
    MemberAction::kMakeManager, MemberAction::kUnmakeManager,
    MemberAction::kHandOver,    MemberAction::kInvite,
    MemberAction::kRequest,
};

// All that a decision about somebody in a project depends on.
struct MemberActionInput {
  MemberAction act{};
  Role role = Role::kUser;  // the actor's at the site
  ProjectRole actor = ProjectRole::kNone;
  bool is_self = false;  // the actor acts on themselves
  ProjectRole target = ProjectRole::kNone;
  ProjectState state{};
  bool takes_requests = true;
  bool require_admin_approval = true;
};

// Where the target stands afterwards; after kHandOver the owner is a manager.
// NOT_FOUND: the actor does not see the project, or the target is not in it;
// PERMISSION_DENIED: never by this actor; FAILED_PRECONDITION: not from where
// target or project stand. In words for the actor.
absl::StatusOr<ProjectRole> Judge(const MemberActionInput& question);

// What whoever does not see a project is told, as if there were none.
absl::Status NoProject();

// The numbers are carme.v1.ProjectAction's.
enum class ProjectAction {
  kApprove = 1,
  kRefuse = 2,
  kClose = 3,
  kReopen = 4,
  kChange = 5,
  kInvite = 6,
  kSetTerms = 7,
};

inline constexpr std::array kProjectActions = {
    ProjectAction::kApprove, ProjectAction::kRefuse, ProjectAction::kClose,
    ProjectAction::kReopen,  ProjectAction::kChange, ProjectAction::kInvite,
    ProjectAction::kSetTerms};

// The same of the project as a whole.
absl::Status Judge(ProjectAction act, Role role, ProjectRole actor,
                   ProjectState state);

// Whether the person decides if a requested project begins: administrators do,
// and the role manager does for projects of others.
constexpr bool DecidesAbout(Role role, ProjectRole project_role,
                            ProjectState state) {
  return state == ProjectState::kRequested &&
         (role == Role::kAdmin ||
          (role == Role::kManager && project_role != ProjectRole::kOwner));
}

// Whether the person sees that the project is there: by their place or role,
// and in this state, because they decide about it.
constexpr bool Sees(Role role, ProjectRole project_role) {
  return project_role != ProjectRole::kNone || ReadsEverything(role);
}
constexpr bool Sees(Role role, ProjectRole project_role, ProjectState state) {
  return Sees(role, project_role) || DecidesAbout(role, project_role, state);
}

// How a new project of such a person begins.
ProjectState BeginsAs(Role role, bool require_admin_approval);

// Whether a job of somebody in this place begins. NOT_FOUND: no place in it, as
// if it did not exist; FAILED_PRECONDITION: no member yet, or the project does
// not run. In words for the person.
absl::Status JudgeJob(ProjectRole project_role, ProjectState state);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_RULES_H_
