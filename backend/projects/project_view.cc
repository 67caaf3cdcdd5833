#include "backend/projects/project_view.h"

#include <utility>

#include "common/status.h"

namespace carme::backend {
namespace {

// Whether the person may do this with somebody else who stands there.
bool MayWithOther(MemberAct act, Place target, const ProjectView& view,
                  const Onlooker& onlooker) {
  return Judge({.act = act,
                .role = onlooker.person.role,
                .actor = view.row.place,
                .target = target,
                .state = view.row.project.state,
                .administrator_confirms = onlooker.administrator_confirms})
      .ok();
}

bool MaySee(const ProjectMember& member, const ProjectView& view,
            const Onlooker& onlooker) {
  if (member.uid == onlooker.person.uid || member.place == Place::kOwner) {
    return true;
  }
  const Place place = view.row.place;
  if (ReadsEverything(onlooker.person.role) || Manages(place)) return true;
  return IsMember(place) && IsMember(member.place);
}

MemberView MemberViewOf(ProjectMember member, const ProjectView& view,
                        const Onlooker& onlooker) {
  MemberView shown{.member = std::move(member)};
  shown.is_self = shown.member.uid == onlooker.person.uid;
  for (const MemberAct act : kMemberActs) {
    // These have rpcs of their own, and are about people who are not in it.
    if (act == MemberAct::kInvite || act == MemberAct::kRequest) continue;
    const auto judged =
        Judge({.act = act,
               .role = onlooker.person.role,
               .actor = view.row.place,
               .is_self = shown.is_self,
               .target = shown.member.place,
               .state = view.row.project.state,
               .administrator_confirms = onlooker.administrator_confirms});
    if (judged.ok()) shown.may.push_back(act);
  }
  return shown;
}

}  // namespace

ProjectView ViewOf(ProjectRow row, const Onlooker& onlooker) {
  ProjectView view{.row = std::move(row)};
  Project& project = view.row.project;
  project.state = StateAt(project, onlooker.now);
  for (const ProjectAct act : kProjectActs) {
    if (!Judge(act, onlooker.person.role, view.row.place, project.state).ok()) {
      continue;
    }
    view.may.push_back(act);
    if (act == ProjectAct::kApprove) ++view.waiting_for_me;
  }
  view.usable = JudgeJob(view.row.place, project.state).ok();
  if (MayWithOther(MemberAct::kApprove, Place::kRequested, view, onlooker)) {
    view.waiting_for_me += view.row.requested;
  }
  if (MayWithOther(MemberAct::kConfirm, Place::kWaiting, view, onlooker)) {
    view.waiting_for_me += view.row.waiting;
  }
  const bool invited = view.row.place == Place::kInvited;
  if (invited && project.state == ProjectState::kActive) ++view.waiting_for_me;
  return view;
}

absl::StatusOr<ProjectView> ViewWithMembers(Database& db, ProjectRow row,
                                            const Onlooker& onlooker) {
  ProjectView view = ViewOf(std::move(row), onlooker);
  ASSIGN_OR_RETURN(std::vector<ProjectMember> members,
                   ReadMembers(db, view.row.project.id));
  for (ProjectMember& member : members) {
    if (!MaySee(member, view, onlooker)) continue;
    view.members.push_back(MemberViewOf(std::move(member), view, onlooker));
  }
  return view;
}

}  // namespace carme::backend
