// An image of the catalogue: what jobs need of it, and who may use it.
#ifndef CARME_BACKEND_IMAGES_IMAGE_RECORD_H_
#define CARME_BACKEND_IMAGES_IMAGE_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "backend/images/image_build_status.h"
#include "backend/policy/spec/limits.h"
#include "carme/v1/image.pb.h"
#include "carme/v1/image_recipe.pb.h"

namespace carme::backend {

// Their numbers are stored in the database.
using ImageState = v1::ImageState;
using ImageSource = v1::ImageSource;  // UNSPECIFIED: an administrator's path
using ImageCopyState = v1::ImageCopyState;  // UNSPECIFIED: there is no copy

// The copy of a shared image in the site's directory for shared images. In a
// copying state without a job the job is still to be submitted.
struct ImageCopy {
  ImageCopyState state = v1::IMAGE_COPY_STATE_UNSPECIFIED;
  JobId job{};
  std::string problem{};
  std::string path{};  // while copying: the file that the owner's job writes
  Uid uid{0};          // owner of the file, once ready
};

// The result of the check of a site image by an administrator's job.
struct ImageCheck {
  bool pending = false;
  JobId job{};  // empty while pending: not submitted yet
  absl::Time since = absl::InfinitePast();       // pending since; not stored
  absl::Time checked_at = absl::InfinitePast();  // of the last result
  std::string problem{};
};

// A group of the directory or a project: exactly one is not empty.
struct ShareTarget {
  std::string group{};
  std::string project{};  // project id
  friend bool operator==(const ShareTarget&, const ShareTarget&) = default;
};

struct ImageShare {
  ShareTarget target{};
  std::string approved_by{};  // empty: offered, not approved
};

struct ImageRecord {
  Image image{};
  ImageState state = v1::IMAGE_STATE_ACTIVE;
  bool fixed = false;      // from backend.toml
  int64_t size_bytes = 0;  // 0: not known
  // Who may use a site image, by any of these; empty: all users.
  std::vector<std::string> groups{};
  std::vector<Role> roles{};
  std::vector<std::string> projects{};  // project ids
  absl::Time created_at{};
  // For a user's image: its source and its build job.
  ImageSource source = v1::IMAGE_SOURCE_UNSPECIFIED;
  std::string source_path{};
  // Instead of a path: what it is built from; without a base: none.
  v1::ImageRecipe recipe{};
  JobId build_job{};      // empty: not submitted yet
  std::string problem{};  // why it failed
  bool held = false;      // withdrawn by an administrator
  std::vector<ImageShare> shares{};
  ImageCopy copy{};
  ImageCheck check{};
  std::optional<ImageBuildStatus> build{};  // of an image with a status file
};

// The task of a job for an image.
struct ImageWork {
  enum class Kind { kBuild, kCheck, kStage, kStore };
  Kind kind = Kind::kBuild;
  ImageRecord record{};
};

// The name of an image's copy in the directory for shared images. Images with
// the same content share one file.
inline std::string StoredName(const ImageRecord& record) {
  return record.image.sha256 + ".sif";
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_RECORD_H_
