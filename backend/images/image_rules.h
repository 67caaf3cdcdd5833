// Valid names, paths and settings of images, from backend.toml and from
// requests. Pure functions.
#ifndef CARME_BACKEND_IMAGES_IMAGE_RULES_H_
#define CARME_BACKEND_IMAGES_IMAGE_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "backend/policy/spec/limits.h"

namespace carme::backend {

// "name:version" of letters, digits and "._-+", at most 127 characters.
bool IsImageId(std::string_view id);

// An absolute path that Apptainer accepts: ":" and "," are separators.
bool IsImageFolder(std::string_view path);

// The source of an image: as above, or below the user's home: "~/my.sif".
bool IsImageSource(std::string_view path);

// Checks description, apps, mounts, environment and versions. INVALID_ARGUMENT:
// the first problem.
absl::Status CheckImageSettings(const Image& image,
                                const std::vector<App>& apps);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_RULES_H_
