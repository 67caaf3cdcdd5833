// The user's own folder of images that were pulled from registries.
#ifndef CARME_SLURM_HOOKS_CLI_IMAGE_STORE_H_
#define CARME_SLURM_HOOKS_CLI_IMAGE_STORE_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/edf/image_reference.h"

namespace carme {

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

 private:
  explicit ImageStore(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_IMAGE_STORE_H_
