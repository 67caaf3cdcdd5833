#include "slurm-hooks/files/upload.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "common/encoding.h"
#include "common/name_rules.h"
#include "common/random.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/files/download.h"
#include "slurm-hooks/files/file_error.h"
#include "slurm-hooks/web_app/json.h"

namespace carme::files {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;
constexpr char kTemporaryPrefix[] = ".carme-upload-";
constexpr NameRule kUploadIdRule{.characters = kLowercase | kDecimalDigits,
                                 .max_bytes = 32};

struct ContentRange {
  uint64_t first, last, total;
};

std::optional<ContentRange> ParseContentRange(std::string_view text) {
  absl::string_view rest(text.data(), text.size());
  if (!absl::ConsumePrefix(&rest, "bytes ")) return std::nullopt;
  const std::vector<absl::string_view> parts =
      absl::StrSplit(rest, absl::ByAnyChar("-/"));
  ContentRange range{};
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &range.first) ||
      !absl::SimpleAtoi(parts[1], &range.last) ||
      !absl::SimpleAtoi(parts[2], &range.total) || range.first > range.last ||
      range.last >= range.total) {
    return std::nullopt;
  }
  return range;
}

std::string Quoted(std::string_view what, const std::string& path) {
  return absl::StrCat(absl::string_view(what.data(), what.size()), " \"", path,
                      "\"");
}

// Writes through a link to a file, as an editor does.
std::string ResolveLink(const std::string& path) {
  struct stat info {};
  char real[PATH_MAX];
  if (lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode) &&
      realpath(path.c_str(), real) != nullptr) {
    return real;
  }
  return path;
}

// The file that an upload creates or replaces, and the conditions of the
// request.
class Target {
 public:
  Target(const Exchange& exchange, const std::string& path, mode_t umask)
      : path_(ResolveLink(path)),
        umask_(umask),
        must_be_new_(exchange.Header("If-None-Match") == "*"),
        expected_etag_(exchange.Header("If-Match")) {}

  const std::string& path() const { return path_; }
  std::string TemporaryPath(std::string_view id) const {
    const std::string parent = ParentPath(path_);
    return absl::StrCat(parent == "/" ? "" : parent, "/", kTemporaryPrefix,
                        absl::string_view(id.data(), id.size()));
  }

  absl::Status Check() const {
    struct stat info {};
    const bool exists = stat(path_.c_str(), &info) == 0;
    if (!exists && errno != ENOENT) {
      return FileErrno(errno, Quoted("open", path_));
    }
    if (exists && S_ISDIR(info.st_mode)) {
      return FileErrno(EISDIR, Quoted("write", path_));
    }
    if (exists && !S_ISREG(info.st_mode)) {
      return FileError(kForbidden, absl::StrCat(Quoted("write", path_),
                                                ": not a regular file"));
    }
    if (exists && must_be_new_) {
      return FileErrno(EEXIST, Quoted("create", path_));
    }
    if (expected_etag_.has_value() &&
        (!exists || EtagOf(info) != *expected_etag_)) {
      return FileError(kChanged, absl::StrCat(Quoted("write", path_),
                                              ": the file has changed"));
    }
    // A file that the user may not write is not replaced either, although the
    // directory would permit it.
    if (exists && faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) {
      return FileErrno(errno, Quoted("write", path_));
    }
    return absl::OkStatus();
  }

  // Gives the complete temporary file its permissions and name, and sends the
  // response.
  absl::Status Finish(Exchange* exchange, UniqueFd fd,
                      const std::string& temporary) const {
    struct stat old {
    }, info{};
    const bool exists = stat(path_.c_str(), &old) == 0;
    // Never the set-user-id bit of a file that another user may have made.
    const mode_t mode = exists ? old.st_mode & 0777 : 0666 & ~umask_;
    if (exists) {  // the owner's group at least; failing is allowed
      [[maybe_unused]] const int ignored = fchown(fd.get(), -1, old.st_gid);
    }
    // Network file systems report a full disk only at fsync() or close().
    if (fchmod(fd.get(), mode) != 0 || fsync(fd.get()) != 0 ||
        fstat(fd.get(), &info) != 0 || close(fd.release()) != 0) {
      return FileErrno(errno, Quoted("write", path_));
    }
    // One at a time, or two requests with the same If-Match would both succeed.
    static absl::Mutex replacing(absl::kConstInit);
    const absl::MutexLock lock(&replacing);
    RETURN_IF_ERROR(Check());
    if (must_be_new_) {
      RETURN_IF_ERROR(RenameToNew(temporary, path_));
    } else if (rename(temporary.c_str(), path_.c_str()) != 0) {
      return FileErrno(errno, Quoted("write", path_));
    }
    exchange->Send(exists ? 200 : 201,
                   absl::StrCat("{\"etag\":", web_app::JsonString(EtagOf(info)),
                                ",\"size\":", info.st_size, "}"));
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  const mode_t umask_;
  const bool must_be_new_;
  const std::optional<std::string> expected_etag_;
};

absl::Status WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileErrno(errno, "write the file");
    data += written;
    size -= static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

// Appends the body, at most `max` bytes, and returns its size.
absl::StatusOr<uint64_t> AppendBody(Exchange* exchange, int fd, uint64_t max) {
  std::vector<char> buffer(kBufferBytes);
  uint64_t received = 0;
  for (;;) {
    ASSIGN_OR_RETURN(const size_t size,
                     exchange->ReadBody(buffer.data(), buffer.size()));
    if (size == 0) return received;
    received += size;
    if (received > max) {
      return FileError(kBadRequest, "the body is longer than Content-Range");
    }
    RETURN_IF_ERROR(WriteAll(fd, buffer.data(), size));
  }
}

// Rather at once than after an hour.
absl::Status CheckSpace(const std::string& path, uint64_t bytes) {
  struct statvfs space {};
  if (statvfs(ParentPath(path).c_str(), &space) != 0) return absl::OkStatus();
  if (uint64_t{space.f_bavail} * space.f_frsize >= bytes) {
    return absl::OkStatus();
  }
  return FileErrno(ENOSPC, Quoted("write", path));
}

absl::Status ReceiveWhole(Exchange* exchange, const Target& target) {
  RETURN_IF_ERROR(
      CheckSpace(target.path(), exchange->ContentLength().value_or(0)));
  const std::string temporary = target.TemporaryPath(HexEncode(RandomBytes(8)));
  UniqueFd fd(open(temporary.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return FileErrno(errno, Quoted("write", target.path()));
  absl::Status received =
      AppendBody(exchange, fd.get(), std::numeric_limits<uint64_t>::max())
          .status();
  if (received.ok()) {
    received = target.Finish(exchange, std::move(fd), temporary);
  }
  if (!received.ok()) unlink(temporary.c_str());
  return received;
}

// The temporary file of an upload in parts, locked.
absl::StatusOr<UniqueFd> OpenPart(const std::string& temporary, bool first) {
  UniqueFd fd(
      open(temporary.c_str(),
           O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (first ? O_CREAT : 0),
           0600));
  if (!fd.valid()) return FileErrno(errno, Quoted("write", temporary));
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return FileError(kBusy, "another request sends this upload");
  }
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) {
    return FileErrno(errno, Quoted("write", temporary));
  }
  // In a shared folder another user could have made it, to read the upload.
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
      info.st_nlink != 1) {
    return FileErrno(EACCES, Quoted("write", temporary));
  }
  if (first && ftruncate(fd.get(), 0) != 0) {
    return FileErrno(errno, Quoted("write", temporary));
  }
  return fd;
}

absl::Status ReceivePart(Exchange* exchange, const Target& target,
                         const std::string& temporary,
                         const ContentRange& range) {
  const uint64_t size = range.last - range.first + 1;
  if (exchange->ContentLength().value_or(size) != size) {
    return FileError(kBadRequest, "Content-Length and Content-Range differ");
  }
  if (range.first == 0) {
    RETURN_IF_ERROR(CheckSpace(target.path(), range.total));
  }
  ASSIGN_OR_RETURN(UniqueFd fd, OpenPart(temporary, range.first == 0));
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) {
    return FileErrno(errno, Quoted("write", temporary));
  }
  if (static_cast<uint64_t>(info.st_size) != range.first) {
    exchange->SendError(
        FileError(kOffset, "this part does not follow what has arrived"),
        absl::StrCat(",\"received\":", info.st_size));
    return absl::OkStatus();
  }
  const auto received = AppendBody(exchange, fd.get(), size);
  absl::Status appended = received.status();
  if (received.ok() && *received != size) {  // a chunked body
    appended = FileError(kBadRequest, "the body is shorter than Content-Range");
  }
  if (!appended.ok() && appended.code() != absl::StatusCode::kUnavailable) {
    // Parts begin where earlier ones ended.
    [[maybe_unused]] const int ignored =
        ftruncate(fd.get(), static_cast<off_t>(range.first));
  }
  RETURN_IF_ERROR(appended);
  if (range.last + 1 == range.total) {
    return target.Finish(exchange, std::move(fd), temporary);
  }
  exchange->Send(202, absl::StrCat("{\"received\":", range.last + 1, "}"));
  return absl::OkStatus();
}

// The temporary file that the parameters name.
absl::StatusOr<std::string> UploadPath(const Exchange& exchange,
                                       const RequestTarget& target) {
  ASSIGN_OR_RETURN(const std::string path, target.FilePath());
  const std::string id = target.Find("upload").value_or("");
  if (!kUploadIdRule.Allows(id)) {
    return FileError(
        kBadRequest,
        "parameter \"upload\": expected 1 to 32 characters of a-z and 0-9");
  }
  return Target(exchange, path, 0).TemporaryPath(id);
}

absl::Status Receive(Exchange* exchange, const RequestTarget& request,
                     mode_t umask) {
  ASSIGN_OR_RETURN(const std::string path, request.FilePath());
  if (path == "/") return FileErrno(EISDIR, "write \"/\"");
  const Target target(*exchange, path, umask);
  RETURN_IF_ERROR(target.Check());
  const auto range_header = exchange->Header("Content-Range");
  if (!range_header.has_value() && !request.Find("upload").has_value()) {
    return ReceiveWhole(exchange, target);
  }
  ASSIGN_OR_RETURN(const std::string temporary, UploadPath(*exchange, request));
  const auto range = ParseContentRange(range_header.value_or(""));
  if (!range.has_value()) {
    return FileError(kBadRequest,
                     "header Content-Range: expected bytes FIRST-LAST/TOTAL");
  }
  return ReceivePart(exchange, target, temporary, *range);
}

}  // namespace

absl::Status RenameToNew(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return absl::OkStatus();
  }
  const std::string what = absl::StrCat("rename to \"", to, "\"");
  if (errno != EINVAL && errno != ENOSYS) return FileErrno(errno, what);
  // This file system cannot do it at once. A file of another program that
  // appears between the two calls is replaced.
  struct stat info {};
  if (lstat(to.c_str(), &info) == 0) return FileErrno(EEXIST, what);
  if (rename(from.c_str(), to.c_str()) != 0) return FileErrno(errno, what);
  return absl::OkStatus();
}

void ReceiveFile(Exchange* exchange, const RequestTarget& target,
                 mode_t umask) {
  const absl::Status received = Receive(exchange, target, umask);
  if (!received.ok()) exchange->SendError(received);
}

void SendUploadState(Exchange* exchange, const RequestTarget& target) {
  const auto temporary = UploadPath(*exchange, target);
  if (!temporary.ok()) return exchange->SendError(temporary.status());
  struct stat info {};
  const bool exists = lstat(temporary->c_str(), &info) == 0;
  exchange->Send(
      200, absl::StrCat("{\"received\":", exists ? info.st_size : 0, "}"));
}

void DeleteUpload(Exchange* exchange, const RequestTarget& target) {
  const auto temporary = UploadPath(*exchange, target);
  if (!temporary.ok()) return exchange->SendError(temporary.status());
  if (unlink(temporary->c_str()) != 0 && errno != ENOENT) {
    return exchange->SendError(FileErrno(errno, Quoted("delete", *temporary)));
  }
  exchange->Send(204, "", "");
}

}  // namespace carme::files
