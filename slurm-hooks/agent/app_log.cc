#include "slurm-hooks/agent/app_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::agent {
namespace {

constexpr off_t kLongestBytes = 16 << 20;
constexpr off_t kKeptBytes = 1 << 20;

// An app that writes meanwhile appends behind what is kept.
absl::Status KeepEnd(int fd, off_t size) {
  std::string end(kKeptBytes, '\0');
  const ssize_t got = pread(fd, end.data(), end.size(), size - kKeptBytes);
  if (got < 0 || ftruncate(fd, 0) != 0) return ErrnoError(errno, "shorten");
  end.resize(static_cast<size_t>(got));
  // From the first whole line on.
  const std::string text = absl::StrCat("…\n", end.substr(end.find('\n') + 1));
  if (write(fd, text.data(), text.size()) < 0) {
    return ErrnoError(errno, "shorten");
  }
  return absl::OkStatus();
}

}  // namespace

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
  if (info.st_size > kLongestBytes) {
    RETURN_IF_ERROR(Annotate(KeepEnd(fd.get(), info.st_size), what));
  }
  return fd;
}

}  // namespace carme::agent
