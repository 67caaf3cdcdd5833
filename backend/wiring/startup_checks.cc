#include "backend/wiring/startup_checks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status.h"

namespace carme::backend {

absl::Status PrepareEnvironment(const std::string& state_directory) {
  if (geteuid() == 0) {
    return absl::FailedPreconditionError(
        "runs as root; use a dedicated user, such as carme");
  }
  umask(0077);
  struct stat info {};
  if (stat(state_directory.c_str(), &info) != 0) {
    return ErrnoError(
        errno, absl::StrCat("state.directory \"", state_directory, "\""));
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 0077) != 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "state.directory \"%s\" belongs to uid %d and has mode %03o: expected "
        "a directory of uid %d with mode 700",
        state_directory, info.st_uid, info.st_mode & 0777, geteuid()));
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
