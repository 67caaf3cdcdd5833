#include "backend/images/image_sharing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme {
namespace {

bool IsIn(const Person& person, const std::string& group) {
  return std::find(person.groups.begin(), person.groups.end(), group) !=
         person.groups.end();
}

bool MayApprove(const Person& person, const std::string& group) {
  return person.role == Role::kAdmin ||
         (person.role == Role::kManager && IsIn(person, group));
}

bool Owns(const Person& person, const ImageRecord& record) {
  return !record.image.owner.empty() && record.image.owner_uid == person.uid;
}

ImageShare* Find(const std::string& group, ImageRecord* record) {
  const auto found = std::find_if(
      record->shares.begin(), record->shares.end(),
      [&](const ImageShare& share) { return share.group == group; });
  return found == record->shares.end() ? nullptr : &*found;
}

// What is vouched for must be there: of an image that is still being made, its
// owner says later what it is.
absl::Status CheckMade(const ImageRecord& record) {
  if (record.state == ImageState::kActive ||
      record.state == ImageState::kDeprecated) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "the image cannot be used now: expected one that is made and not "
      "withdrawn");
}

}  // namespace

absl::Status OfferImage(const std::string& group, const Person& person,
                        ImageRecord* record) {
  if (!Owns(person, *record)) {
    return absl::NotFoundError("you have no such image");
  }
  if (!IsIn(person, group)) {
    return absl::PermissionDeniedError(absl::StrCat(
        "you are not in group \"", group, "\": expected one of your groups"));
  }
  RETURN_IF_ERROR(CheckMade(*record));
  if (Find(group, record) != nullptr) return absl::OkStatus();
  if (record->shares.size() >= kMostImageShares) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the image is shared with ", record->shares.size(),
                     " groups: expected fewer than ", kMostImageShares));
  }
  record->shares.push_back({.group = group});
  return absl::OkStatus();
}

absl::Status ApproveImage(const std::string& group, const Person& person,
                          ImageRecord* record) {
  ImageShare* share = Find(group, record);
  if (share == nullptr && !Owns(person, *record)) {
    return absl::NotFoundError("no such image was offered to this group");
  }
  if (!MayApprove(person, group)) {
    return absl::PermissionDeniedError(absl::StrCat(
        "you do not manage group \"", group,
        "\": expected a manager who is in it, or an administrator"));
  }
  RETURN_IF_ERROR(CheckMade(*record));
  if (share == nullptr) {
    if (record->shares.size() >= kMostImageShares) {
      return absl::ResourceExhaustedError("the image has too many shares");
    }
    share = &record->shares.emplace_back();
    share->group = group;
  }
  share->approved_by = person.username;
  return absl::OkStatus();
}

absl::Status UnshareImage(const std::string& group, const Person& person,
                          ImageRecord* record) {
  const ImageShare* const share = Find(group, record);
  if (share == nullptr ||
      (!Owns(person, *record) && !MayApprove(person, group))) {
    return absl::NotFoundError("no such image is shared with this group");
  }
  std::erase_if(record->shares,
                [&](const ImageShare& one) { return one.group == group; });
  return absl::OkStatus();
}

}  // namespace carme
