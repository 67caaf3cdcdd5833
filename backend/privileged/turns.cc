#include "backend/privileged/turns.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(10);
// Behind the bytes of all users' turns.
constexpr off_t kPlacesBegin = off_t{1} << 40;

}  // namespace

absl::StatusOr<Turns> Turns::Create() {
  UniqueFd file(memfd_create("turns", MFD_CLOEXEC));
  if (!file.valid()) return ErrnoError(errno, "memfd_create");
  return Turns(std::move(file));
}

absl::StatusOr<bool> Turns::Lock(off_t byte) const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  if (fcntl(file_.get(), F_SETLK, &lock) == 0) return true;
  if (errno == EACCES || errno == EAGAIN || errno == EINTR) return false;
  return ErrnoError(errno, "wait for the user's turn");
}

absl::Status Turns::TakePlace(uid_t uid, int places,
                              absl::Duration patience) const {
  const absl::Time until = absl::Now() + patience;
  const off_t first = kPlacesBegin + static_cast<off_t>(uid) * kMaxPlaces;
  while (true) {
    for (int place = 0; place < places; ++place) {
      ASSIGN_OR_RETURN(const bool locked, Lock(first + place));
      if (locked) return absl::OkStatus();
    }
    if (absl::Now() >= until) {
      return absl::ResourceExhaustedError(
          absl::StrCat("this user has ", places,
                       " acts under way, half of max_acts: try again"));
    }
    absl::SleepFor(kBetweenLooks);
  }
}

absl::Status Turns::Take(uid_t uid, absl::Duration patience) const {
  const absl::Time until = absl::Now() + patience;
  while (true) {
    ASSIGN_OR_RETURN(const bool locked, Lock(static_cast<off_t>(uid)));
    if (locked) return absl::OkStatus();
    if (absl::Now() >= until) {
      return absl::ResourceExhaustedError(
          "another act of this user is under way: try again");
    }
    absl::SleepFor(kBetweenLooks);
  }
}

}  // namespace carme::impersonator
