// What an image may be called, and where its folders may lie: pure functions,
// for backend.toml as for what people send.
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

// Absolute, and what Apptainer can be told: it takes ":" and "," as separators.
bool IsImageFolder(std::string_view path);

// What an image is made of: as above, or below the user's home: "~/my.sif".
bool IsImageSource(std::string_view path);

// Description, apps, mounts, environment and versions of an image that
// somebody sent. INVALID_ARGUMENT: the first thing that is wrong.
absl::Status CheckImageSettings(const Image& image,
                                const std::vector<App>& apps);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_RULES_H_
