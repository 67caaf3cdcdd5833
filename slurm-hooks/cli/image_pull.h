// Pulls an image from a registry as the user and converts it for the nodes.
#ifndef CARME_SLURM_HOOKS_CLI_IMAGE_PULL_H_
#define CARME_SLURM_HOOKS_CLI_IMAGE_PULL_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/edf/image_reference.h"
#include "slurm-hooks/cli/image_store.h"

namespace carme {

// Returns the image file in the store, which is created if missing. Only one
// process pulls into a store at a time; others wait. The programs skopeo, umoci
// and mksquashfs print their errors on stderr. INVALID_ARGUMENT: not an image
// of a registry. Blocks until the image is complete.
absl::StatusOr<std::string> PullImage(const EdfImage& image,
                                      const ImageStore& store);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_IMAGE_PULL_H_
