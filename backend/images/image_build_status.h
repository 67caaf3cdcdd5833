// The progress of an image that a program of the site builds, as the program
// writes it into the status file of the image (status_file of [[images]]).
#ifndef CARME_BACKEND_IMAGES_IMAGE_BUILD_STATUS_H_
#define CARME_BACKEND_IMAGES_IMAGE_BUILD_STATUS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::backend {

struct ImageBuildStatus {
  enum class State { kBuilding, kReady, kFailed };
  State state = State::kBuilding;
  int step = 0;  // 1 to `steps`; both 0: not known
  int steps = 0;
  std::optional<int> percent{};  // of this step, 0 to 100
  std::string message{};         // the step, or why the build failed; printable
  absl::Time started_at = absl::InfinitePast();  // InfinitePast: not known
  absl::Time updated_at = absl::InfinitePast();
  std::string sha256{};  // of the complete image; empty: not known
};

// A build whose status file is older than this has ended without a result.
inline constexpr absl::Duration kImageBuildTimeout = absl::Minutes(10);

// Parses the content of a status file: lines "key=value". Unknown keys are
// ignored, so that programs may write more. INVALID_ARGUMENT: the first invalid
// line, or no state.
absl::StatusOr<ImageBuildStatus> ParseImageBuildStatus(std::string_view text);

// Reads the status file and applies the timeout. Blocks for a local file.
// NOT_FOUND; FAILED_PRECONDITION: a link, no regular file, or a file that users
// other than root and the caller can write; RESOURCE_EXHAUSTED: longer than
// 4 KiB; INVALID_ARGUMENT: the content.
absl::StatusOr<ImageBuildStatus> ReadImageBuildStatus(const std::string& path,
                                                      absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_BUILD_STATUS_H_
