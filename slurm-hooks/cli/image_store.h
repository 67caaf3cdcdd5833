// The user's directory of images pulled from registries.
#ifndef CARME_SLURM_HOOKS_CLI_IMAGE_STORE_H_
#define CARME_SLURM_HOOKS_CLI_IMAGE_STORE_H_

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/edf/image_reference.h"
#include "common/unique_fd.h"

namespace carme {

struct StoredImage {
  std::string name;    // it was pulled by; empty: a newer image has the name
  std::string digest;  // 64 hexadecimal digits
  uint64_t bytes = 0;
  time_t pulled = 0;
};

// Not thread-safe. An image is a file `sha256-DIGEST.sqsh` with the registry's
// digest; the name that it was pulled by is a symbolic link to it.
class ImageStore {
 public:
  // Opens $EDF_IMAGESTORE, $SCRATCH/.edf_imagestore or ~/.edf_imagestore.
  // FAILED_PRECONDITION: none of the variables contains a path.
  static absl::StatusOr<ImageStore> OfProcess();

  const std::string& folder() const { return folder_; }
  std::string PathOf(const std::string& digest) const;
  // `image` must be an image of a registry.
  std::string LinkOf(const EdfImage& image) const;
  // Returns the file that the link points to; nullopt if it was not pulled.
  std::optional<std::string> Find(const EdfImage& image) const;

  // Returns all images sorted by name; an image with several names appears once
  // for each. A missing directory is empty.
  absl::StatusOr<std::vector<StoredImage>> List() const;
  // Removes a name, and the image file with its last name. `which`: a name as
  // in List(), or "sha256:" and at least 12 digits of a digest, which removes
  // the file and all of its names. Returns the number of bytes freed.
  // INVALID_ARGUMENT, NOT_FOUND.
  absl::StatusOr<uint64_t> Remove(const std::string& which) const;

  // Locks the store against other processes until the descriptor is closed.
  // Creates the directory.
  absl::StatusOr<UniqueFd> Lock() const;

 private:
  explicit ImageStore(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_IMAGE_STORE_H_
