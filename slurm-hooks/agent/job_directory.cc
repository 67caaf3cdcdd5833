#include "slurm-hooks/agent/job_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::agent {

absl::StatusOr<std::string> FindJobDirectory(const std::string& parent,
                                             SlurmJobId job, Uid uid) {
  const std::string path = absl::StrCat(parent, "/", job.value());
  const std::string what = absl::StrCat("job directory \"", path, "\"");
  UniqueFd fd(
      open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    return absl::NotFoundError(absl::StrCat(
        what,
        " does not exist: carme's prolog must run on this node, and the "
        "job must name its feature; see the node's system log"));
  }
  if (!fd.valid() && (errno == ENOTDIR || errno == ELOOP)) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, " is a link or a file: expected a directory"));
  }
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, what);
  }
  if (info.st_uid != uid.value() || (info.st_mode & 07777) != 0700) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s has owner %d and mode %04o: expected owner %d and mode 0700", what,
        info.st_uid, info.st_mode & 07777, uid.value()));
  }
  return path;
}

std::string ReasonOfProlog(const std::string& parent, SlurmJobId job) {
  const UniqueFd fd(
      open(absl::StrCat(parent, "/", job.value(), ".failed").c_str(),
           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0 || info.st_uid != 0 ||
      !S_ISREG(info.st_mode)) {
    return "";
  }
  char text[512];
  const ssize_t size = read(fd.get(), text, sizeof text);
  return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
}

}  // namespace carme::agent
