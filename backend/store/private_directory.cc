#include "backend/store/private_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status.h"

namespace carme::backend {

absl::Status CheckPrivateDirectory(const std::string& path, uid_t owner) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    return ErrnoError(errno, absl::StrCat("\"", path, "\""));
  }
  if (!S_ISDIR(info.st_mode) || info.st_uid != owner ||
      (info.st_mode & 0077) != 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "\"%s\" belongs to uid %d and has mode %03o: expected a directory of "
        "uid %d with mode 700",
        path, info.st_uid, info.st_mode & 0777, owner));
  }
  return absl::OkStatus();
}

absl::Status CheckFileOwners(const std::string& path, uid_t owner) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    struct stat info {};
    if (lstat(entry.path().c_str(), &info) != 0) continue;  // just removed
    // Directories, such as lost+found, are not opened.
    if (!S_ISREG(info.st_mode) || info.st_uid == owner) continue;
    return absl::FailedPreconditionError(
        absl::StrFormat("\"%s\" belongs to uid %d: expected %d; run \"chown -R "
                        "--reference=%s %s\"",
                        entry.path().string(), info.st_uid, owner, path, path));
  }
  if (!error) return absl::OkStatus();
  return ErrnoError(error.value(), absl::StrCat("read \"", path, "\""));
}

}  // namespace carme::backend
