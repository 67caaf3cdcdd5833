#include "slurm-hooks/mount/images/trusted_image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/images/messages.h"

namespace carme::mount {
namespace {

absl::StatusOr<std::string> PathOf(int fd) {
  char path[PATH_MAX];
  const ssize_t length =
      readlink(absl::StrCat("/proc/self/fd/", fd).c_str(), path, sizeof path);
  if (length < 0) return ErrnoError(errno, "find the image's path");
  if (length == sizeof path) return absl::InternalError("its path is too long");
  return std::string(path, static_cast<size_t>(length));
}

absl::Status CheckStep(const struct stat& info, uid_t owner,
                       const std::string& path) {
  if (info.st_uid == owner && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return absl::OkStatus();
  }
  return MakePlainError(
      mount_image_messages::kOwner,
      {{"path", path},
       {"owner", info.st_uid},
       {"mode", absl::StrFormat("%04o", info.st_mode & 07777)},
       {"expected", owner}});
}

// Walks from "/" without links; `last` is what it ends at.
absl::Status WalkTrusted(const std::string& path, const std::string& directory,
                         struct stat* last) {
  UniqueFd fd(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string walked;
  uid_t owner = 0;
  for (const absl::string_view name :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    absl::StrAppend(&walked, "/", name);
    fd.reset(openat(fd.get(), std::string(name).c_str(),
                    O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!fd.valid() || fstat(fd.get(), last) != 0) {
      return ErrnoError(errno, absl::StrCat("look at \"", walked, "\""));
    }
    if (S_ISLNK(last->st_mode)) {
      return MakePlainError(mount_image_messages::kLink, {{"path", walked}});
    }
    if (walked == directory) owner = last->st_uid;
    RETURN_IF_ERROR(CheckStep(*last, owner, walked));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsInFolder(int fd, const std::vector<std::string>& directories) {
  const absl::StatusOr<std::string> path = PathOf(fd);
  return path.ok() && std::any_of(directories.begin(), directories.end(),
                                  [&](const std::string& directory) {
                                    return path->starts_with(directory + "/");
                                  });
}

absl::Status CheckTrusted(int fd, const std::vector<std::string>& directories) {
  ASSIGN_OR_RETURN(const std::string path, PathOf(fd));
  for (const std::string& directory : directories) {
    if (!path.starts_with(directory + "/")) continue;
    struct stat opened {
    }, found{};
    if (fstat(fd, &opened) != 0) return ErrnoError(errno, "stat the image");
    RETURN_IF_ERROR(WalkTrusted(path, directory, &found));
    if (opened.st_dev != found.st_dev || opened.st_ino != found.st_ino) {
      return MakePlainError(mount_image_messages::kReplaced, {{"path", path}});
    }
    return absl::OkStatus();
  }
  return MakePlainError(
      mount_image_messages::kNotOfTheSite,
      {{"directories", absl::StrJoin(directories, "\" or \"")}});
}

}  // namespace carme::mount
