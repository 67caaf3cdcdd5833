// Deletes files and directory trees as the user of this process.
#ifndef CARME_SLURM_HOOKS_FILE_TREE_TREE_DELETE_H_
#define CARME_SLURM_HOOKS_FILE_TREE_TREE_DELETE_H_

#include <string>

#include "absl/status/status.h"
#include "slurm-hooks/file_tree/tree_copy.h"

namespace carme::node {

enum class DeleteMode {
  kAsFound,
  // For trees that the caller has made: directories that were copied without
  // write permission get it first.
  kOwnCopy,
};

// Deletes `path`, a file, link, or directory with all in it. Never follows a
// symbolic link in `path` itself or below it. Counts files and their bytes in
// `progress`. Blocks. The first error, which names the file, ends the deletion;
// CANCELLED.
absl::Status DeleteTree(const std::string& path, CopyProgress* progress,
                        DeleteMode mode = DeleteMode::kAsFound);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_FILE_TREE_TREE_DELETE_H_
