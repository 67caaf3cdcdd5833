#include "backend/images/image_sharing.h"

#include <algorithm>

#include "backend/images/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

bool IsInGroup(const Person& person, const std::string& group) {
  return std::find(person.groups.begin(), person.groups.end(), group) !=
         person.groups.end();
}

const ProjectMembership* FindMembership(const std::string& project,
                                        const ImageUser& user) {
  const auto found =
      std::find_if(user.memberships.begin(), user.memberships.end(),
                   [&](const ProjectMembership& membership) {
                     return membership.project == project;
                   });
  return found == user.memberships.end() ? nullptr : &*found;
}

// In the group, or a member of the project.
bool IsIn(const ShareTarget& target, const ImageUser& user) {
  if (target.project.empty()) return IsInGroup(user.person, target.group);
  const ProjectMembership* const membership =
      FindMembership(target.project, user);
  return membership != nullptr && membership->is_member;
}

bool Decides(const ShareTarget& target, const ImageUser& user) {
  if (user.person.role == Role::kAdmin) return true;
  if (target.project.empty()) {
    return user.person.role == Role::kManager && IsIn(target, user);
  }
  const ProjectMembership* const membership =
      FindMembership(target.project, user);
  return membership != nullptr && membership->is_member && membership->manages;
}

bool Owns(const ImageUser& user, const ImageRecord& record) {
  return !record.image.owner.empty() &&
         record.image.owner_uid == user.person.uid;
}

ImageShare* Find(const ShareTarget& target, ImageRecord* record) {
  const auto found = std::find_if(
      record->shares.begin(), record->shares.end(),
      [&](const ImageShare& share) { return share.target == target; });
  return found == record->shares.end() ? nullptr : &*found;
}

// The same error as the catalogue's for an id that does not exist.
absl::Status NoSuchImage() { return MakeError(image_messages::kNotFound); }

// The same error for users outside a project and for an id that does not exist.
absl::Status NoSuchProject() {
  return MakeError(image_messages::kNotInProject);
}

absl::Status CheckIn(const ShareTarget& target, const ImageUser& user) {
  if (IsIn(target, user)) return absl::OkStatus();
  if (!target.project.empty()) return NoSuchProject();
  return MakeError(image_messages::kNotInGroup, {{"group", target.group}});
}

absl::Status CheckDecides(const ShareTarget& target, const ImageUser& user) {
  if (Decides(target, user)) return absl::OkStatus();
  if (!target.project.empty()) {
    return MakeError(image_messages::kOnlyManagersOfProject);
  }
  return MakeError(image_messages::kNotManagedGroup, {{"group", target.group}});
}

// Only complete images can be approved, because the owner can still change what
// an unfinished image contains.
absl::Status CheckMade(const ImageRecord& record) {
  if (record.state == v1::IMAGE_STATE_ACTIVE ||
      record.state == v1::IMAGE_STATE_DEPRECATED) {
    return absl::OkStatus();
  }
  return MakeError(image_messages::kNotComplete);
}

absl::Status CheckActive(const ShareTarget& target, const ImageUser& user) {
  if (target.project.empty()) return absl::OkStatus();
  const ProjectMembership* const membership =
      FindMembership(target.project, user);
  if (membership == nullptr) return NoSuchProject();
  if (membership->is_active) return absl::OkStatus();
  return MakeError(image_messages::kProjectNotActive);
}

}  // namespace

absl::Status RequestImageShare(const ShareTarget& target, const ImageUser& user,
                               ImageRecord* record) {
  if (!Owns(user, *record)) {
    return NoSuchImage();
  }
  RETURN_IF_ERROR(CheckIn(target, user));
  RETURN_IF_ERROR(CheckActive(target, user));
  RETURN_IF_ERROR(CheckMade(*record));
  if (Find(target, record) != nullptr) return absl::OkStatus();
  if (record->shares.size() >= kMaxImageShares) {
    return MakeError(image_messages::kTooManyShares,
                     {{"max", kMaxImageShares}});
  }
  record->shares.push_back({.target = target});
  return absl::OkStatus();
}

absl::Status ApproveImage(const ShareTarget& target, const ImageUser& user,
                          ImageRecord* record) {
  const bool owns = Owns(user, *record);
  const bool is_offered = Find(target, record) != nullptr;
  // The response must not reveal the share to users outside the group or
  // project.
  if (!owns &&
      (!is_offered || (!IsIn(target, user) && !Decides(target, user)))) {
    return NoSuchImage();
  }
  if (owns && !is_offered && !target.project.empty()) {
    RETURN_IF_ERROR(CheckIn(target, user));
  }
  RETURN_IF_ERROR(CheckDecides(target, user));
  RETURN_IF_ERROR(CheckActive(target, user));
  RETURN_IF_ERROR(CheckMade(*record));
  if (!is_offered) {
    if (record->shares.size() >= kMaxImageShares) {
      return MakeError(image_messages::kTooManyShares,
                       {{"max", kMaxImageShares}});
    }
    record->shares.push_back({.target = target});
  }
  Find(target, record)->approved_by = user.person.username;
  return absl::OkStatus();
}

absl::Status UnshareImage(const ShareTarget& target, const ImageUser& user,
                          ImageRecord* record) {
  if (Find(target, record) == nullptr ||
      (!Owns(user, *record) && !Decides(target, user))) {
    return NoSuchImage();
  }
  std::erase_if(record->shares,
                [&](const ImageShare& one) { return one.target == target; });
  return absl::OkStatus();
}

bool MayApprove(const ImageRecord& record, const ImageShare& share,
                const ImageUser& user) {
  return (share.approved_by.empty() ||
          record.copy.state == v1::IMAGE_COPY_STATE_FAILED) &&
         Decides(share.target, user) && CheckActive(share.target, user).ok();
}

bool IsSharedWith(const ImageRecord& record, const ImageUser& user) {
  return std::any_of(
      record.shares.begin(), record.shares.end(), [&](const ImageShare& share) {
        return !share.approved_by.empty() && IsIn(share.target, user) &&
               CheckActive(share.target, user).ok();
      });
}

void HideShares(const ImageUser& user, ImageRecord* record) {
  if (Owns(user, *record) || ReadsEverything(user.person.role)) return;
  std::erase_if(record->shares, [&](const ImageShare& share) {
    return !share.target.project.empty() && !IsIn(share.target, user);
  });
}

bool IsForProjectOf(const ImageRecord& record, const ImageUser& user) {
  return std::any_of(record.projects.begin(), record.projects.end(),
                     [&](const std::string& project) {
                       const ProjectMembership* const membership =
                           FindMembership(project, user);
                       return membership != nullptr && membership->is_member &&
                              membership->is_active;
                     });
}

void HideProjects(const ImageUser& user, ImageRecord* record) {
  std::erase_if(record->projects, [&](const std::string& project) {
    const ProjectMembership* const membership = FindMembership(project, user);
    return membership == nullptr || !membership->is_member;
  });
}

bool HasGroupShares(const ImageRecord& record) {
  return std::any_of(
      record.shares.begin(), record.shares.end(),
      [](const ImageShare& share) { return !share.target.group.empty(); });
}

bool HasProjectShares(const ImageRecord& record) {
  return std::any_of(
      record.shares.begin(), record.shares.end(),
      [](const ImageShare& share) { return !share.target.project.empty(); });
}

}  // namespace carme::backend
