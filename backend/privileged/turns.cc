#include "backend/privileged/turns.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

#include "absl/time/clock.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(10);

}  // namespace

absl::StatusOr<Turns> Turns::Create() {
  UniqueFd file(memfd_create("turns", MFD_CLOEXEC));
  if (!file.valid()) return ErrnoError(errno, "memfd_create");
  return Turns(std::move(file));
}

absl::Status Turns::Take(uid_t uid, absl::Duration patience) const {
  const absl::Time until = absl::Now() + patience;
  while (true) {
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = static_cast<off_t>(uid);
    byte.l_len = 1;
    if (fcntl(file_.get(), F_SETLK, &byte) == 0) return absl::OkStatus();
    if (errno != EACCES && errno != EAGAIN && errno != EINTR) {
      return ErrnoError(errno, "wait for the user's turn");
    }
    if (absl::Now() >= until) {
      return absl::ResourceExhaustedError(
          "another act of this user is under way: try again");
    }
    absl::SleepFor(kBetweenLooks);
  }
}

}  // namespace carme
