// An image of the catalogue: what jobs need of it, and who may use it.
#ifndef CARME_BACKEND_IMAGES_IMAGE_RECORD_H_
#define CARME_BACKEND_IMAGES_IMAGE_RECORD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "backend/policy/limits.h"

namespace carme {

// The numbers are carme.v1.ImageState's and stand in the table.
enum class ImageState {
  kActive = 2,
  kDeprecated = 3,
  kWithdrawn = 4,
};

struct ImageRecord {
  Image image{};
  ImageState state = ImageState::kActive;
  bool fixed = false;      // stands in backend.toml
  int64_t size_bytes = 0;  // 0: not known
  // Who may use one of the site's; neither: everybody.
  std::vector<std::string> groups{};
  std::vector<Role> roles{};
  absl::Time created_at{};
};

}  // namespace carme

#endif  // CARME_BACKEND_IMAGES_IMAGE_RECORD_H_
