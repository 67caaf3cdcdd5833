#include "backend/privileged/privsep/root_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/privileged/privsep/messages.h"
#include "common/status.h"

namespace carme {
namespace {

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

absl::Status CheckOne(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  // In a sticky directory only root can move root's files.
  const bool sticky = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  if (info.st_uid == 0 &&
      (sticky || (info.st_mode & (S_IWGRP | S_IWOTH)) == 0)) {
    return absl::OkStatus();
  }
  return MakePlainError(
      privsep_messages::kNotRootsFile,
      {{"path", path},
       {"owner", info.st_uid},
       {"mode", absl::StrFormat("%03o", info.st_mode & 07777)}});
}

absl::StatusOr<std::string> Resolve(const std::string& path) {
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  return std::string(resolved);
}

}  // namespace

absl::Status CheckOnlyRootWrites(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string resolved, Resolve(path));
  // A link can be redirected, so the directories above it count, too.
  for (const std::string& checked : {resolved, path}) {
    if (!checked.starts_with('/')) continue;
    RETURN_IF_ERROR(CheckOne(checked));
    for (std::string above = DirectoryOf(checked);;
         above = DirectoryOf(above.substr(0, above.size() - 1))) {
      RETURN_IF_ERROR(CheckOne(above));
      if (above == "/") break;
    }
  }
  return absl::OkStatus();
}

}  // namespace carme
