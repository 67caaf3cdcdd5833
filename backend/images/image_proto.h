// Conversion between plain values and messages of carme.v1.
#ifndef CARME_BACKEND_IMAGES_IMAGE_PROTO_H_
#define CARME_BACKEND_IMAGES_IMAGE_PROTO_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "backend/images/image_record.h"

namespace carme::v1 {
class Image;
class ImageBuildStatus;
class ImageSettings;
}  // namespace carme::v1

namespace carme::backend {

void Fill(const ImageRecord& record, v1::Image* message);
void Fill(const ImageBuildStatus& build, v1::ImageBuildStatus* message);

// Replaces all settings of the record; a mount without target gets its source.
// Accepts any message, which image_rules.h checks. INVALID_ARGUMENT: an unknown
// role.
absl::Status Apply(const v1::ImageSettings& settings, ImageRecord* record);

// The stored form of the settings. INTERNAL: invalid bytes.
// With the copy and the check of an image.
std::string SerializeShares(const ImageRecord& record);
absl::Status ParseShares(std::string_view bytes, ImageRecord* record);
absl::Status ParseRecipe(std::string_view bytes, ImageRecord* record);
std::string SerializeSettings(const ImageRecord& record);
absl::Status ParseSettings(std::string_view bytes, ImageRecord* record);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_PROTO_H_
