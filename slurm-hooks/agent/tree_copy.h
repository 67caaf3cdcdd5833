// Copies files and trees between shared storage and a job's scratch, as the
// user whose process this is.
//
// Whatever has its final name is whole: a file is written under another name
// and renamed. What is there already is replaced file by file; a directory that
// is there is added to. Links within a tree are copied as links; devices,
// sockets and pipes are left out. Times of change and permissions are kept,
// set-user-id bits are not.
#ifndef CARME_SLURM_HOOKS_AGENT_TREE_COPY_H_
#define CARME_SLURM_HOOKS_AGENT_TREE_COPY_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace carme::agent {

// Written by the thread that copies, read by others; `cancel` the other way.
struct CopyProgress {
  std::atomic<uint64_t> files = 0;
  std::atomic<uint64_t> bytes = 0;
  std::atomic<uint64_t> left_out = 0;  // devices, sockets, pipes
  std::atomic<bool> cancel = false;
};

// Counts what CopyTree would copy. Its errors, and NOT_FOUND.
absl::Status MeasureTree(const std::string& from, CopyProgress* measured);

// `to` becomes a copy of `from`, a file or a tree; a link in `from` itself is
// followed. Directories above `to` are made with what `umask` leaves. Blocks
// for as long as it takes. The first error ends it, and names the file;
// CANCELLED.
absl::Status CopyTree(const std::string& from, const std::string& to,
                      mode_t umask, CopyProgress* progress);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_TREE_COPY_H_
