// Sharing of users' images with groups of the directory and with projects. Pure
// functions. The owner, a member of the group or project, offers the image; a
// manager of it approves.
#ifndef CARME_BACKEND_IMAGES_IMAGE_SHARING_H_
#define CARME_BACKEND_IMAGES_IMAGE_SHARING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backend/identity/person.h"
#include "backend/images/image_record.h"
#include "backend/projects/project_memberships.h"

namespace carme::backend {

inline constexpr size_t kMaxImageShares = 32;

// A user who shares or uses images: groups and role of the directory, and
// memberships. An administrator has a membership in every project.
struct ImageUser {
  Person person{};
  std::vector<ProjectMembership> memberships{};
};

// NOT_FOUND: not the user's image, or not their project. PERMISSION_DENIED: not
// in the group. FAILED_PRECONDITION: the image is not complete or withdrawn, or
// the project is not active. RESOURCE_EXHAUSTED: too many shares. An existing
// offer is unchanged.
absl::Status RequestImageShare(const ShareTarget& target, const ImageUser& user,
                               ImageRecord* record);

// NOT_FOUND: not offered and not the user's own, or the user is not in the
// group or project. PERMISSION_DENIED: the user may not approve: for a group
// only a site manager who is in it may, for a project its managers and owner,
// for both an administrator. FAILED_PRECONDITION: as above.
absl::Status ApproveImage(const ShareTarget& target, const ImageUser& user,
                          ImageRecord* record);

// NOT_FOUND: neither offered nor shared, or not visible to the user.
absl::Status UnshareImage(const ShareTarget& target, const ImageUser& user,
                          ImageRecord* record);

// Whether this user may approve the offer, or the share again after its copy
// failed.
bool MayApprove(const ImageRecord& record, const ImageShare& share,
                const ImageUser& user);

// Whether an approved share lets this user use the image now.
bool IsSharedWith(const ImageRecord& record, const ImageUser& user);

// Removes the shares with projects that the user may not see: the owner sees
// all, members those with their projects.
void HideShares(const ImageUser& user, ImageRecord* record);

// Whether a site image is for an active project of which this user is a member.
bool IsForProjectOf(const ImageRecord& record, const ImageUser& user);

// Removes the image's projects of which the user is not a member: a project id
// would let the user request membership.
void HideProjects(const ImageUser& user, ImageRecord* record);

bool HasGroupShares(const ImageRecord& record);
bool HasProjectShares(const ImageRecord& record);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_SHARING_H_
