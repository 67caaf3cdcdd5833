// Fetches an image from a registry, as the user, and packs it for nodes.
#ifndef CARME_SLURM_HOOKS_CLI_IMAGE_PULL_H_
#define CARME_SLURM_HOOKS_CLI_IMAGE_PULL_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/edf/image_reference.h"
#include "slurm-hooks/cli/image_store.h"

namespace carme {

// Returns the image's file in the store, which is made where it is missing. One
// puller at a time works in a store; the others wait. Programs that it takes,
// skopeo, umoci and mksquashfs, say on stderr what they cannot do. INVALID_
// ARGUMENT: no image of a registry. Blocks for as long as all that takes.
absl::StatusOr<std::string> PullImage(const EdfImage& image,
                                      const ImageStore& store);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_IMAGE_PULL_H_
