// The file on this node that an image's name stands for.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_IMAGE_LOOKUP_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_IMAGE_LOOKUP_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/edf/image_reference.h"
#include "slurm-hooks/mount/plan/mount_config.h"

namespace carme::mount {

// Whose own images `store#USER/NAME:VERSION` may name.
struct ImageOwner {
  std::string username;
  std::string home;
};

// The account of the process; empty fields where it has no account.
ImageOwner CurrentImageOwner();

// A path that the image names itself, whether it exists or not; or the file
// that the calling process may read for
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
