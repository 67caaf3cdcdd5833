// Who shares a user's image with a group of the directory: pure functions. The
// owner offers it to a group of their own, a manager in that group approves.
#ifndef CARME_BACKEND_IMAGES_IMAGE_SHARING_H_
#define CARME_BACKEND_IMAGES_IMAGE_SHARING_H_

#include <string>

#include "absl/status/status.h"
#include "backend/identity/directory.h"
#include "backend/images/image_record.h"

namespace carme {

inline constexpr size_t kMostImageShares = 32;

// `person` as the directory has them, with their groups and role.

// PERMISSION_DENIED: not in the group. FAILED_PRECONDITION: not made yet, or
// withdrawn. RESOURCE_EXHAUSTED: too many. Offered already: nothing changes.
absl::Status OfferImage(const std::string& group, const Person& person,
                        ImageRecord* record);

// NOT_FOUND: it was not offered to the group, and is not the manager's own;
// PERMISSION_DENIED: no manager in the group, nor administrator;
// FAILED_PRECONDITION: not made yet, or withdrawn.
absl::Status ApproveImage(const std::string& group, const Person& person,
                          ImageRecord* record);

// NOT_FOUND: neither offered nor shared, or not for this person to say.
absl::Status UnshareImage(const std::string& group, const Person& person,
                          ImageRecord* record);

}  // namespace carme

#endif  // CARME_BACKEND_IMAGES_IMAGE_SHARING_H_
