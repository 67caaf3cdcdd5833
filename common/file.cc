#include "common/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/encoding.h"
#include "common/random.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme {
namespace {

absl::StatusOr<std::string> ReadAll(int fd, const std::string& path,
                                    size_t max_bytes) {
  std::string content;
  char buffer[16384];
  while (true) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, absl::StrCat("read \"", path, "\""));
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
    if (content.size() > max_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "read \"", path, "\": longer than ", max_bytes, " bytes"));
    }
  }
}

// Names the owner of a file that this user cannot read.
absl::Status SecretOpenError(int error, const std::string& path) {
  struct stat info {};
  if (error != EACCES || stat(path.c_str(), &info) != 0) {
    return ErrnoError(error, absl::StrCat("open \"", path, "\""));
  }
  return absl::PermissionDeniedError(absl::StrFormat(
      "secret \"%s\" belongs to uid %d with mode %03o, and uid %d cannot read "
      "it: chown %d %s",
      path, info.st_uid, info.st_mode & 0777, geteuid(), geteuid(), path));
}

absl::Status WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t put = write(fd, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return ErrnoError(errno, "write");
    content.remove_prefix(static_cast<size_t>(put));
  }
  return fsync(fd) == 0 ? absl::OkStatus() : ErrnoError(errno, "fsync");
}

absl::Status SyncDirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  UniqueFd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || fsync(fd.get()) != 0) {
    return ErrnoError(errno, absl::StrCat("fsync \"", directory, "\""));
  }
  return absl::OkStatus();
}

// Writes a temporary file, which `put` moves to `path`.
absl::Status PutInPlace(const std::string& path, std::string_view content,
                        mode_t mode, int (*put)(const char*, const char*)) {
  const std::string temporary =
      absl::StrCat(path, ".", HexEncode(RandomBytes(6)));
  UniqueFd fd(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("create \"", temporary, "\""));
  }
  absl::Status written = WriteAll(fd.get(), content);
  if (written.ok() && put(temporary.c_str(), path.c_str()) != 0) {
    written = ErrnoError(errno, "put in place");
  }
  if (!written.ok()) {
    unlink(temporary.c_str());
    return Annotate(written, absl::StrCat("write \"", path, "\""));
  }
  return SyncDirectoryOf(path);
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  return ReadAll(fd.get(), path, max_bytes);
}

absl::Status WriteFile(const std::string& path, std::string_view content,
                       mode_t mode) {
  return PutInPlace(path, content, mode, rename);
}

absl::Status WriteNewFile(const std::string& path, std::string_view content,
                          mode_t mode) {
  // link() never replaces, as rename() would.
  return PutInPlace(path, content, mode, [](const char* from, const char* to) {
    if (link(from, to) != 0) return -1;
    unlink(from);
    return 0;
  });
}

absl::StatusOr<std::string> ReadSecretFile(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return SecretOpenError(errno, path);
  }
  if ((info.st_mode & (S_IWGRP | S_IRWXO)) != 0) {
    return absl::PermissionDeniedError(
        absl::StrFormat("secret \"%s\" has mode %03o: expected no permissions "
                        "for others, at most 640: chmod g-w,o= %s",
                        path, info.st_mode & 0777, path));
  }
  ASSIGN_OR_RETURN(std::string content, ReadAll(fd.get(), path, 1 << 16));
  if (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

}  // namespace carme
