// Which file an image's name means on this node.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGE_LOOKUP_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGE_LOOKUP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/edf/image_reference.h"

namespace carme::mount {

// A path stays itself. What is in a registry or in the site's store is looked
// for in `directories`, by the name that it has when it was imported: slashes
// become "+", then come the tag or version and one of .sqsh, .squashfs, .sif.
// `nvcr.io#nvidia/pytorch:24.01` is `nvcr.io+nvidia+pytorch+24.01.sqsh`;
// without a tag `+latest`, and for the store no more than its name.
// NOT_FOUND says what was looked for.
absl::StatusOr<std::string> FindImage(
    const EdfImage& image, const std::vector<std::string>& directories);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGE_LOOKUP_H_
