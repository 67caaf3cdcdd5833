// The names in a directory that is open.
#ifndef CARME_SLURM_HOOKS_FILE_TREE_DIRECTORY_H_
#define CARME_SLURM_HOOKS_FILE_TREE_DIRECTORY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::node {

// How deep trees may be that this library copies or deletes: each level uses
// up to two descriptors and a stack frame.
inline constexpr int kMaxTreeDepth = 200;

// Returns the names without "." and "..", in the order of the file system.
// `shown` is the directory's path, for errors.
absl::StatusOr<std::vector<std::string>> ReadDirectory(
    int directory, const std::string& shown);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_FILE_TREE_DIRECTORY_H_
