// The user's own folder of images that were pulled from registries.
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
  std::string name;  // by which it was pulled; empty: a newer one has the name
  std::string digest;  // 64 hexadecimal digits
  uint64_t bytes = 0;
  time_t pulled = 0;
};

// Of the process. An image is a file `sha256-DIGEST.sqsh`, the digest being the
// registry's; the name it was pulled by is a link to it.
class ImageStore {
 public:
  // $EDF_IMAGESTORE, $SCRATCH/.edf_imagestore or ~/.edf_imagestore.
  // FAILED_PRECONDITION: none of the variables is set to a path.
  static absl::StatusOr<ImageStore> OfProcess();

  const std::string& folder() const { return folder_; }
  std::string PathOf(const std::string& digest) const;
  // REQUIRES: an image of a registry.
  std::string LinkOf(const EdfImage& image) const;
  // The file that the link leads to; nothing: it was not pulled.
  std::optional<std::string> Find(const EdfImage& image) const;

  // Sorted by name; an image with several names appears with each. A folder
  // that does not exist has none.
  absl::StatusOr<std::vector<StoredImage>> List() const;
  // Removes a name, and the image's file with its last name. `which`: a name as
  // List() has it, or "sha256:" and at least 12 digits of a digest, which
  // removes the file and all of its names. INVALID_ARGUMENT, NOT_FOUND. Returns
  // how many bytes are free again.
  absl::StatusOr<uint64_t> Remove(const std::string& which) const;

  // Until the descriptor is closed no other process changes the store. Makes
  // the folder.
  absl::StatusOr<UniqueFd> Lock() const;

 private:
  explicit ImageStore(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_IMAGE_STORE_H_
