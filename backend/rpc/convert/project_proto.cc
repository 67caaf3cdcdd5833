#include "backend/rpc/convert/project_proto.h"

#include <google/protobuf/util/time_util.h>

#include "carme/v1/project.pb.h"

namespace carme::backend {
namespace {

google::protobuf::Timestamp TimeOf(absl::Time time) {
  return google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      absl::ToUnixMicros(time));
}

static_assert(static_cast<int>(MemberAction::kAccept) ==
              v1::MEMBER_ACTION_ACCEPT);
static_assert(static_cast<int>(MemberAction::kDecline) ==
              v1::MEMBER_ACTION_DECLINE);
static_assert(static_cast<int>(MemberAction::kWithdraw) ==
              v1::MEMBER_ACTION_WITHDRAW);
static_assert(static_cast<int>(MemberAction::kLeave) ==
              v1::MEMBER_ACTION_LEAVE);
static_assert(static_cast<int>(MemberAction::kApprove) ==
              v1::MEMBER_ACTION_APPROVE);
static_assert(static_cast<int>(MemberAction::kReject) ==
              v1::MEMBER_ACTION_REJECT);
static_assert(static_cast<int>(MemberAction::kRevoke) ==
              v1::MEMBER_ACTION_REVOKE);
static_assert(static_cast<int>(MemberAction::kRemove) ==
              v1::MEMBER_ACTION_REMOVE);
static_assert(static_cast<int>(MemberAction::kConfirm) ==
              v1::MEMBER_ACTION_CONFIRM);
static_assert(static_cast<int>(MemberAction::kRefuse) ==
              v1::MEMBER_ACTION_REFUSE);
static_assert(static_cast<int>(MemberAction::kPromote) ==
              v1::MEMBER_ACTION_PROMOTE);
static_assert(static_cast<int>(MemberAction::kDemote) ==
              v1::MEMBER_ACTION_DEMOTE);
static_assert(static_cast<int>(MemberAction::kTransferOwnership) ==
              v1::MEMBER_ACTION_TRANSFER_OWNERSHIP);

void Fill(const MemberView& view, v1::ProjectMember* message) {
  const ProjectMember& member = view.member;
  message->set_username(member.username);
  message->set_display_name(member.display_name);
  message->set_role(member.project_role);
  *message->mutable_since() = TimeOf(member.since);
  message->set_approved_by(member.approved_by);
  message->set_confirmed_by(member.confirmed_by);
  message->set_self(view.is_self);
  for (const MemberAction act : view.may) {
    message->add_may(static_cast<v1::MemberAction>(act));
  }
}

}  // namespace

void Fill(const ProjectView& view, v1::Project* message) {
  const Project& project = view.row.project;
  message->set_id(project.id.value());
  v1::ProjectSettings* settings = message->mutable_settings();
  settings->set_name(project.settings.name);
  settings->set_description(project.settings.description);
  settings->set_classification(project.settings.classification);
  settings->set_takes_requests(project.settings.takes_requests);
  message->set_owner(view.row.owner);
  message->set_state(project.state);
  *message->mutable_created_at() = TimeOf(project.created_at);
  if (project.expires_at) {
    *message->mutable_expires_at() = TimeOf(*project.expires_at);
  }
  message->set_account(project.account);
  message->set_role(view.row.project_role);
  message->set_usable(view.usable);
  message->set_member_count(view.row.members);
  message->set_waiting_count(view.waiting_for_me);
  for (const ProjectAction act : view.may) {
    message->add_may(act);
  }
  for (const MemberView& member : view.members) {
    Fill(member, message->add_members());
  }
}

ProjectSettings SettingsOf(const v1::ProjectSettings& message) {
  return {.name = message.name(),
          .description = message.description(),
          .classification = message.classification(),
          .takes_requests = message.takes_requests()};
}

}  // namespace carme::backend
