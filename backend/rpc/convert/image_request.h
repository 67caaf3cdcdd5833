// What people send about images, before anything is done with it: pure
// functions.
#ifndef CARME_BACKEND_RPC_CONVERT_IMAGE_REQUEST_H_
#define CARME_BACKEND_RPC_CONVERT_IMAGE_REQUEST_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backend/images/image_record.h"
#include "backend/images/image_sharing.h"

namespace carme::v1 {
class AddImageRequest;
class ImportImageRequest;
}  // namespace carme::v1

namespace carme::backend {

// Each INVALID_ARGUMENT, with what is wrong first.

// The file of one of the site's images. No digest: it is not known yet.
absl::Status CheckFile(const std::string& id, const std::string& path,
                       const std::string& sha256, int64_t size_bytes);
absl::Status CheckFile(const v1::AddImageRequest& request);

// What a user's own is to be made of.
absl::Status CheckImport(const v1::ImportImageRequest& request);

// How many groups and projects, and in which form.
absl::Status CheckAudience(const ImageRecord& record);

// Whether there are the projects that were not there `before`. `sharer` has a
// seat in every project.
absl::Status CheckProjects(const std::vector<std::string>& projects,
                           const std::vector<std::string>& before,
                           const ImageUser& user);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_IMAGE_REQUEST_H_
