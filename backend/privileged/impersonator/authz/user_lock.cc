#include "backend/privileged/impersonator/authz/user_lock.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

#include "absl/time/clock.h"
#include "backend/privileged/impersonator/authz/messages.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kRetryInterval = absl::Milliseconds(10);
// After the bytes of all users' locks.
constexpr off_t kSlotsBegin = off_t{1} << 40;

}  // namespace

absl::StatusOr<UserLock> UserLock::Create() {
  UniqueFd file(memfd_create("user_lock", MFD_CLOEXEC));
  if (!file.valid()) return ErrnoError(errno, "memfd_create");
  return UserLock(std::move(file));
}

absl::StatusOr<bool> UserLock::TryLock(off_t byte) const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  if (fcntl(file_.get(), F_SETLK, &lock) == 0) return true;
  if (errno == EACCES || errno == EAGAIN || errno == EINTR) return false;
  return ErrnoError(errno, "lock a user");
}

absl::Status UserLock::AcquireSlot(uid_t uid, int slots,
                                   absl::Duration timeout) const {
  const absl::Time deadline = absl::Now() + timeout;
  const off_t first = kSlotsBegin + static_cast<off_t>(uid) * kMaxSlots;
  while (true) {
    for (int slot = 0; slot < slots; ++slot) {
      ASSIGN_OR_RETURN(const bool locked, TryLock(first + slot));
      if (locked) return absl::OkStatus();
    }
    if (absl::Now() >= deadline) {
      return MakePlainError(impersonator_authz_messages::kUserOperationsRunning,
                            {{"slots", slots}});
    }
    absl::SleepFor(kRetryInterval);
  }
}

absl::Status UserLock::Acquire(uid_t uid, absl::Duration timeout) const {
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    ASSIGN_OR_RETURN(const bool locked, TryLock(static_cast<off_t>(uid)));
    if (locked) return absl::OkStatus();
    if (absl::Now() >= deadline) {
      return MakePlainError(impersonator_authz_messages::kUserBusy);
    }
    absl::SleepFor(kRetryInterval);
  }
}

}  // namespace carme::impersonator
