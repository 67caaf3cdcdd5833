// How many acts of one user are done at once: those that come one after the
// other, because one counts in Slurm what another makes; and of all others no
// more than a share, so that acts that hang leave places for other users.
#ifndef CARME_BACKEND_PRIVILEGED_TURNS_H_
#define CARME_BACKEND_PRIVILEGED_TURNS_H_

#include <sys/types.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::impersonator {

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

  // Takes one of this user's places, which this process has until it ends.
  // RESOURCE_EXHAUSTED: all are taken, and none became free within `patience`.
  // REQUIRES: 1 to kMaxPlaces.
  static constexpr int kMaxPlaces = 256;
  absl::Status TakePlace(uid_t uid, int places, absl::Duration patience) const;

 private:
  explicit Turns(UniqueFd file) : file_(std::move(file)) {}
  // False: another process has it.
  absl::StatusOr<bool> Lock(off_t byte) const;
  UniqueFd file_;
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_TURNS_H_
