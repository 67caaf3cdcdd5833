#include "backend/privileged/impersonator/authz/slurm_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::impersonator {
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
  return absl::FailedPreconditionError(
      absl::StrFormat("\"%s\" belongs to uid %d with mode %03o: expected owner "
                      "root and no write "
                      "access for others",
                      path, info.st_uid, info.st_mode & 07777));
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

absl::Status CheckRootMayRead(const std::string& slurm_conf) {
  RETURN_IF_ERROR(CheckOnlyRootWrites(slurm_conf));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(slurm_conf));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWithIgnoreCase(absl::StripLeadingAsciiWhitespace(line),
                                   "include")) {
      return absl::FailedPreconditionError(absl::StrCat(
          "\"", slurm_conf, "\" includes other files: expected a single file"));
    }
  }
  return absl::OkStatus();
}

SlurmFiles::SlurmFiles(const std::string& slurm_conf)
    : directory_name_(DirectoryOf(slurm_conf)),
      directory_(opendir(directory_name_.c_str())) {}

uint64_t SlurmFiles::Fingerprint() const {
  // Another directory may have replaced it.
  struct stat info {};
  if (stat(directory_name_.c_str(), &info) != 0) return 0;
  uint64_t fingerprint = absl::HashOf(info.st_ino, info.st_dev);
  if (directory_ == nullptr) return fingerprint;
  rewinddir(directory_.get());
  while (const dirent* entry = readdir(directory_.get())) {
    if (fstatat(dirfd(directory_.get()), entry->d_name, &info, 0) != 0)
      continue;
    // A sum, because the order of readdir() is undefined.
    fingerprint +=
        absl::HashOf(std::string_view(entry->d_name), info.st_ino, info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  }
  return fingerprint;
}

}  // namespace carme::impersonator
