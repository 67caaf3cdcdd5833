// Limits how many operations of one user run at the same time: operations that
// count in Slurm what others create run one at a time, and all operations of a
// user may use only a share of the slots, so that hanging ones leave slots for
// other users. ConcurrencyLimiter does not fit: each operation is a process.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_USER_LOCK_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_USER_LOCK_H_

#include <sys/types.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::impersonator {

// Kernel locks on a file in memory: one byte for each user, and kMaxSlots more.
// A lock belongs to a process and ends with it, however it ends; children do
// not inherit it. fcntl(2), "Advisory record locking".
class UserLock {
 public:
  // Call before the first fork. RESOURCE_EXHAUSTED: no descriptor.
  static absl::StatusOr<UserLock> Create();

  // Blocks until no other process has this user's lock. This process keeps the
  // lock until it ends. RESOURCE_EXHAUSTED: not available within `timeout`.
  absl::Status Acquire(uid_t uid, absl::Duration timeout) const;

  // Acquires one of this user's slots, which this process keeps until it ends.
  // RESOURCE_EXHAUSTED: no slot became free within `timeout`.
  // REQUIRES: 1 to kMaxSlots.
  static constexpr int kMaxSlots = 256;
  absl::Status AcquireSlot(uid_t uid, int slots, absl::Duration timeout) const;

 private:
  explicit UserLock(UniqueFd file) : file_(std::move(file)) {}
  // False: another process has it.
  absl::StatusOr<bool> TryLock(off_t byte) const;
  UniqueFd file_;
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_USER_LOCK_H_
