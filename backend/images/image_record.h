// An image of the catalogue: what jobs need of it, and who may use it.
#ifndef CARME_BACKEND_IMAGES_IMAGE_RECORD_H_
#define CARME_BACKEND_IMAGES_IMAGE_RECORD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "backend/policy/spec/limits.h"

namespace carme::backend {

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
  kDockerArchive = 5,
};

// The numbers are carme.v1.ImageCopyState's and stand in the table.
enum class ImageCopyState {
  kNone = 0,
  kStaging = 1,
  kStoring = 2,
  kReady = 3,
  kFailed = 4,
};

// The copy of a shared image in the site's directory for shared images. A state
// in which a job copies and that has none waits for one to be submitted.
struct ImageCopy {
  ImageCopyState state = ImageCopyState::kNone;
  JobId job{};
  std::string problem{};
  std::string path{};  // staging, storing: where the owner's job puts it
  Uid uid{0};          // of the account that the file belongs to, once ready
};

// What a job of an administrator's found of a file of the site's.
struct ImageCheck {
  bool pending = false;
  JobId job{};  // empty while pending: not submitted yet
  absl::Time since = absl::InfinitePast();  // pending since; not kept
  absl::Time checked_at = absl::InfinitePast();  // of the last result
  std::string problem{};
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
  ImageCopy copy{};
  ImageCheck check{};
};

// What a job is to do for an image.
struct ImageWork {
  enum class Kind { kBuild, kCheck, kStage, kStore };
  Kind kind = Kind::kBuild;
  ImageRecord record{};
};

// The name of an image's copy in the directory for shared images: images of the
// same content have one file.
inline std::string StoredName(const ImageRecord& record) {
  return record.image.sha256 + ".sif";
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_RECORD_H_
