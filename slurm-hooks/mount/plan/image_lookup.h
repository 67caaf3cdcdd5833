// Finds the file on this node for an image name.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_IMAGE_LOOKUP_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_IMAGE_LOOKUP_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/edf/image_reference.h"
#include "slurm-hooks/mount/plan/mount_config.h"

namespace carme::mount {

// The owner of the images that `store#USER/NAME:VERSION` may name.
struct ImageOwner {
  std::string username;
  std::string home;
};

// Returns the account of the process; empty fields if it has none.
ImageOwner CurrentImageOwner();

// Returns the path in the image reference, even if it does not exist; or the
// file readable by the calling process for
//   store#NAME[:VERSION]: the path in the configuration's `store`, else a file
//     NAME+VERSION in one of `images`;
//   store#USER/NAME:VERSION of the owner's: ~/carme-images/NAME@VERSION.sif;
//   an image of a registry: a file of its name in one of `images`.
// NOT_FOUND; FAILED_PRECONDITION: it is named by its digest.
absl::StatusOr<std::string> FindImage(const EdfImage& image,
                                      const MountConfig& config,
                                      const ImageOwner& owner);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_IMAGE_LOOKUP_H_
