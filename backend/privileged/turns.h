// Acts of one user that come one after the other: what an act counts in Slurm
// before it makes one more, no other of that user's makes meanwhile.
#ifndef CARME_BACKEND_PRIVILEGED_TURNS_H_
#define CARME_BACKEND_PRIVILEGED_TURNS_H_

#include <sys/types.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme {

// Locks of the kernel's on a file in memory, a byte for each user. They belong
// to a process and end with it, however it ends; a child has none of its
// parent's. fcntl(2), "Advisory record locking".
class Turns {
 public:
  // To be made before the first fork. RESOURCE_EXHAUSTED: no descriptor.
  static absl::StatusOr<Turns> Create();

  // Blocks until no other process has this user's turn. From then on this one
  // has it, until it ends. RESOURCE_EXHAUSTED: not within `patience`.
  absl::Status Take(uid_t uid, absl::Duration patience) const;

 private:
  explicit Turns(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_TURNS_H_
