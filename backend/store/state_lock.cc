#include "backend/store/state_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxHolderBytes = 200;

std::string HolderIn(int fd) {
  char text[kMaxHolderBytes];
  const ssize_t got = pread(fd, text, sizeof text, 0);
  if (got <= 0) return "another process";
  std::string holder(text, static_cast<size_t>(got));
  return PlainText(holder.substr(0, holder.find('\n')), kMaxHolderBytes);
}

// Succeeds again for the file description that holds the lock.
bool TryLock(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

// The name of the holder only explains a refusal.
void WriteHolder(int fd) {
  utsname host{};
  uname(&host);
  const std::string text =
      absl::StrCat("process ", getpid(), " on host ", host.nodename, "\n");
  const bool written =
      ftruncate(fd, 0) == 0 && pwrite(fd, text.data(), text.size(), 0) ==
                                   static_cast<ssize_t>(text.size());
  if (!written) LogWarning("holder of the lock not written");
}

}  // namespace

absl::Status CheckStateComplete(const std::string& directory) {
  const std::string marker = absl::StrCat(directory, "/", kRestoreMarker);
  if (access(marker.c_str(), F_OK) != 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "a restore of state directory \"", directory,
      "\" was interrupted: run \"carmectl restore\" with --replace again"));
}

absl::StatusOr<StateLock> StateLock::Take(const std::string& directory) {
  const std::string path = absl::StrCat(directory, "/backend.lock");
  UniqueFd fd(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  if (!TryLock(fd.get())) {
    if (errno != EAGAIN && errno != EACCES) {
      return ErrnoError(errno, absl::StrCat("lock \"", path, "\""));
    }
    return absl::FailedPreconditionError(absl::StrCat(
        "state directory \"", directory, "\" is used by ", HolderIn(fd.get()),
        ": only one backend may use it; stop that one first"));
  }
  WriteHolder(fd.get());
  return StateLock(path, std::move(fd));
}

absl::Status StateLock::CheckHeld() const {
  struct stat held {};
  struct stat named {};
  if (fstat(fd_.get(), &held) != 0 || stat(path_.c_str(), &named) != 0) {
    return ErrnoError(errno, absl::StrCat("stat \"", path_, "\""));
  }
  if (held.st_dev != named.st_dev || held.st_ino != named.st_ino) {
    return absl::AbortedError(
        absl::StrCat("file \"", path_, "\" was replaced"));
  }
  if (TryLock(fd_.get())) return absl::OkStatus();
  if (errno != EAGAIN && errno != EACCES) {
    return ErrnoError(errno, absl::StrCat("lock \"", path_, "\""));
  }
  return absl::AbortedError(
      absl::StrCat("file \"", path_, "\" is locked by ", HolderIn(fd_.get())));
}

}  // namespace carme::backend
