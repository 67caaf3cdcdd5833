// Pure functions that check requests about images.
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

// All return INVALID_ARGUMENT and name the invalid field.

// The file of a site image. An empty digest: unknown.
absl::Status CheckFile(const std::string& id, const std::string& path,
                       const std::string& sha256, int64_t size_bytes);
absl::Status CheckFile(const v1::AddImageRequest& request);

// The source of a user's image.
absl::Status CheckImport(const v1::ImportImageRequest& request);

// The number and the form of groups and projects.
absl::Status CheckAudience(const ImageRecord& record);

// Whether the projects exist that are not in `before`. `user` has a membership
// of every project.
absl::Status CheckProjects(const std::vector<std::string>& projects,
                           const std::vector<std::string>& before,
                           const ImageUser& user);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_IMAGE_REQUEST_H_
