#include "backend/projects/project_view.h"

#include <utility>

#include "common/status.h"

namespace carme::backend {
namespace {

// Whether the user may perform the operation on another member in that role.
bool MayWithOther(MemberAction act, ProjectRole target, const ProjectView& view,
                  const Viewer& viewer) {
  return Judge({.act = act,
                .role = viewer.person.role,
                .actor = view.row.project_role,
                .target = target,
                .state = view.row.project.state,
                .require_admin_approval = viewer.require_admin_approval})
      .ok();
}

bool MaySee(const ProjectMember& member, const ProjectView& view,
            const Viewer& viewer) {
  if (member.uid == viewer.person.uid ||
      member.project_role == v1::PROJECT_ROLE_OWNER) {
    return true;
  }
  const ProjectRole project_role = view.row.project_role;
  if (ReadsEverything(viewer.person.role) || Manages(project_role)) return true;
  return IsMember(project_role) && IsMember(member.project_role);
}

MemberView MemberViewOf(ProjectMember member, const ProjectView& view,
                        const Viewer& viewer) {
  MemberView shown{.member = std::move(member)};
  shown.is_self = shown.member.uid == viewer.person.uid;
  for (const MemberAction act : kMemberActions) {
    // These have their own methods, and concern users without a role in it.
    if (act == MemberAction::kInvite || act == MemberAction::kRequest) continue;
    const auto judged =
        Judge({.act = act,
               .role = viewer.person.role,
               .actor = view.row.project_role,
               .is_self = shown.is_self,
               .target = shown.member.project_role,
               .state = view.row.project.state,
               .require_admin_approval = viewer.require_admin_approval});
    if (judged.ok()) shown.may.push_back(act);
  }
  return shown;
}

}  // namespace

ProjectView ViewOf(ProjectRow row, const Viewer& viewer) {
  ProjectView view{.row = std::move(row)};
  Project& project = view.row.project;
  project.state = StateAt(project, viewer.now);
  for (const ProjectAction act : kProjectActions) {
    if (!Judge(act, viewer.person.role, view.row.project_role, project.state)
             .ok()) {
      continue;
    }
    view.may.push_back(act);
    if (act == v1::PROJECT_ACTION_APPROVE) ++view.waiting_for_me;
  }
  view.usable = JudgeJob(view.row.project_role, project.state).ok();
  if (MayWithOther(MemberAction::kApprove, v1::PROJECT_ROLE_REQUESTED, view,
                   viewer)) {
    view.waiting_for_me += view.row.requested;
  }
  if (MayWithOther(MemberAction::kConfirm, v1::PROJECT_ROLE_WAITING, view,
                   viewer)) {
    view.waiting_for_me += view.row.waiting;
  }
  const bool invited = view.row.project_role == v1::PROJECT_ROLE_INVITED;
  if (invited && project.state == v1::PROJECT_STATE_ACTIVE)
    ++view.waiting_for_me;
  return view;
}

absl::StatusOr<ProjectView> ViewWithMembers(Database& db, ProjectRow row,
                                            const Viewer& viewer) {
  ProjectView view = ViewOf(std::move(row), viewer);
  ASSIGN_OR_RETURN(std::vector<ProjectMember> members,
                   ReadMembers(db, view.row.project.id));
  for (ProjectMember& member : members) {
    if (!MaySee(member, view, viewer)) continue;
    view.members.push_back(MemberViewOf(std::move(member), view, viewer));
  }
  return view;
}

}  // namespace carme::backend
