// Keeps a second backend, and `carmectl restore`, from using a state directory
// that a backend uses.
#ifndef CARME_BACKEND_STORE_STATE_LOCK_H_
#define CARME_BACKEND_STORE_STATE_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/unique_fd.h"

namespace carme::backend {

// Exists in a state directory while a restore moves files.
inline constexpr char kRestoreMarker[] = "restore.commit";

// FAILED_PRECONDITION: a restore of the directory was interrupted.
absl::Status CheckStateComplete(const std::string& directory);

// The file `backend.lock` in the directory, locked for as long as the object
// exists: the kernel releases the lock when the process ends in any way, and
// holds it across the hosts of a shared NFSv4 file system. The file stays.
class StateLock {
 public:
  // Does not wait. FAILED_PRECONDITION: a process has the lock; the message
  // names its id and host. Call it as the owner of the directory.
  static absl::StatusOr<StateLock> Take(const std::string& directory);

  // OK: the lock is still held, and its file is still the directory's. ABORTED:
  // it is not. Other errors: unknown, such as EIO of a file system that gave
  // the lock to another host.
  absl::Status CheckHeld() const;

 private:
  StateLock(std::string path, UniqueFd fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_STATE_LOCK_H_
