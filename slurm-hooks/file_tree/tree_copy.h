// Copies files and directory trees as the user of this process.
//
// A file is written under a temporary name and renamed, so a file with its
// final name is complete. Existing files are replaced; existing directories are
// extended. Symbolic links inside a tree are copied as links; devices, sockets
// and pipes are skipped. Modification times and permissions are preserved,
// set-user-id bits are not.
#ifndef CARME_SLURM_HOOKS_FILE_TREE_TREE_COPY_H_
#define CARME_SLURM_HOOKS_FILE_TREE_TREE_COPY_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace carme::node {

// The copying thread writes it and other threads read it, except `cancel`.
struct CopyProgress {
  std::atomic<uint64_t> files = 0;
  std::atomic<uint64_t> bytes = 0;
  std::atomic<uint64_t> left_out = 0;  // devices, sockets, pipes
  std::atomic<bool> cancel = false;
};

// Counts what CopyTree would copy. Fails with the errors of CopyTree and
// NOT_FOUND.
absl::Status MeasureTree(const std::string& from, CopyProgress* measured);

// Copies the file or tree `from` to `to`; follows a symbolic link in `from`
// itself. Creates missing parent directories of `to` with `umask`. Blocks. The
// first error, which names the file, ends the copy; CANCELLED.
absl::Status CopyTree(const std::string& from, const std::string& to,
                      mode_t umask, CopyProgress* progress);

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_FILE_TREE_TREE_COPY_H_
