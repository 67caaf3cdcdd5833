#include "slurm-hooks/agent/app_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::agent {

std::string AppLogPath(const std::string& home, const JobId& job,
                       const std::string& app) {
  return absl::StrCat(home, "/.carme/", job.value(), ".", app, ".log");
}

absl::StatusOr<UniqueFd> OpenAppLog(const std::string& path) {
  const std::string what = absl::StrCat("log \"", path, "\"");
  UniqueFd fd(open(path.c_str(),
                   O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
                       O_NOCTTY | O_CLOEXEC,
                   0600));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, what);
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, " is no regular file"));
  }
  return fd;
}

}  // namespace carme::agent
