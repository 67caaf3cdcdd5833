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
  kBuilding = 1,
  kActive = 2,
  kDeprecated = 3,
  kWithdrawn = 4,
  kFailed = 5,
};

// The numbers are carme.v1.ImageSource's and stand in the table.
enum class ImageSource {
  kSite = 0,  // an administrator named the file
  kSif = 1,
  kOciArchive = 2,
  kOciDirectory = 3,
  kDefinition = 4,
};

// A group of the directory or a project: exactly one of both is not empty.
struct ShareTarget {
  std::string group{};
  std::string project{};  // an id
  friend bool operator==(const ShareTarget&, const ShareTarget&) = default;
};

struct ImageShare {
  ShareTarget target{};
  std::string approved_by{};  // whose word it was; empty: offered
};

struct ImageRecord {
  Image image{};
  ImageState state = ImageState::kActive;
  bool fixed = false;      // stands in backend.toml
  int64_t size_bytes = 0;  // 0: not known
  // Who may use one of the site's, by any of these; none: everybody.
  std::vector<std::string> groups{};
  std::vector<Role> roles{};
  std::vector<std::string> projects{};  // ids
  absl::Time created_at{};
  // Of a user's own. What it is made of, and by which job.
  ImageSource source = ImageSource::kSite;
  std::string source_path{};
  JobId build_job{};      // empty: not submitted yet
  std::string problem{};  // of one that failed
  bool held = false;      // an administrator has withdrawn it
  std::vector<ImageShare> shares{};
};

}  // namespace carme

#endif  // CARME_BACKEND_IMAGES_IMAGE_RECORD_H_
