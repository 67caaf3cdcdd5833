// Who shares a user's image with a group of the directory or with a project,
// and who may use it then: pure functions. The owner offers it to one that they
// are in; who decides for that one approves.
#ifndef CARME_BACKEND_IMAGES_IMAGE_SHARING_H_
#define CARME_BACKEND_IMAGES_IMAGE_SHARING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backend/identity/person.h"
#include "backend/images/image_record.h"

namespace carme::backend {

inline constexpr size_t kMaxImageShares = 32;

// Where somebody stands in a project, as far as images go.
struct ProjectMembership {
  std::string project{};   // its id
  bool is_member = false;  // manager and owner are members, too
  bool manages = false;
  bool is_active = false;  // the project is, at this moment
};

// Somebody who shares or uses images: as the directory has them, with their
// groups and role, and their seats. An administrator has one in every project.
struct ImageUser {
  Person person{};
  std::vector<ProjectMembership> memberships{};
};

// NOT_FOUND: not the person's image, or not a project of theirs.
// PERMISSION_DENIED: not in the group. FAILED_PRECONDITION: the image is not
// made yet, or withdrawn; the project is not active. RESOURCE_EXHAUSTED: too
// many. Offered already: nothing changes.
absl::Status RequestImageShare(const ShareTarget& target, const ImageUser& user,
                        ImageRecord* record);

// NOT_FOUND: it was not offered, and is not the person's own; or they are not
// in the group or project. PERMISSION_DENIED: they do not decide for it: for a
// group a manager of the site who is in it, for a project its own managers and
// owner, for both an administrator. FAILED_PRECONDITION: as above.
absl::Status ApproveImage(const ShareTarget& target, const ImageUser& user,
                          ImageRecord* record);

// NOT_FOUND: neither offered nor shared, or not for this person to say.
absl::Status UnshareImage(const ShareTarget& target, const ImageUser& user,
                          ImageRecord* record);

// Whether this person may approve the offer, or, after its copy has failed, the
// share once more.
bool MayApprove(const ImageRecord& record, const ImageShare& share,
                const ImageUser& user);

// Whether a share that was approved lets this person use the image now.
bool IsSharedWith(const ImageRecord& record, const ImageUser& user);

// Removes the shares with projects that are not this person's to know: the
// owner knows all, members those with their projects.
void HideShares(const ImageUser& user, ImageRecord* record);

// Whether one of the site's is for a project that this person is a member of,
// and that runs now.
bool IsForProjectOf(const ImageRecord& record, const ImageUser& user);

// Removes the projects that it is for and this person is no member of: who has
// a project's id may ask to join it.
void HideProjects(const ImageUser& user, ImageRecord* record);

bool HasGroupShares(const ImageRecord& record);
bool HasProjectShares(const ImageRecord& record);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_SHARING_H_
