#include "slurm-hooks/file_tree/tree_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/encoding.h"
#include "common/random.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/file_tree/directory.h"
#include "slurm-hooks/file_tree/messages.h"

namespace carme::node {
namespace {

// Bytes between two checks of `cancel`.
constexpr size_t kPiece = size_t{16} << 20;
constexpr size_t kBuffer = size_t{1} << 20;
constexpr mode_t kPermissions = 0777;

absl::Status Error(int error, const char* what, const std::string& name) {
  return ErrnoError(error, absl::StrCat(what, " \"", name, "\""));
}

// Returns false if the kernel cannot copy between these two files.
absl::StatusOr<bool> CopyInKernel(int from, int to, const std::string& shown,
                                  CopyProgress* progress) {
  bool begun = false;
  while (!progress->cancel) {
    const ssize_t got = copy_file_range(from, nullptr, to, nullptr, kPiece, 0);
    // Files of some kernel file systems are longer than their size.
    if (got == 0) return begun;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && !begun &&
        (errno == EXDEV || errno == EINVAL || errno == ENOSYS ||
         errno == EOPNOTSUPP || errno == EPERM)) {
      return false;
    }
    if (got < 0) return Error(errno, "copy", shown);
    begun = true;
    progress->bytes += static_cast<uint64_t>(got);
  }
  return absl::CancelledError("cut off");
}

absl::Status WriteAll(int to, const char* data, size_t size,
                      const std::string& shown) {
  while (size > 0) {
    const ssize_t put = write(to, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Error(errno, "write the copy of", shown);
    data += put;
    size -= static_cast<size_t>(put);
  }
  return absl::OkStatus();
}

absl::Status CopyBytes(int from, int to, const std::string& shown,
                       CopyProgress* progress) {
  ASSIGN_OR_RETURN(const bool copied, CopyInKernel(from, to, shown, progress));
  if (copied) return absl::OkStatus();
  std::vector<char> buffer(kBuffer);
  while (!progress->cancel) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got == 0) return absl::OkStatus();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error(errno, "read", shown);
    RETURN_IF_ERROR(
        WriteAll(to, buffer.data(), static_cast<size_t>(got), shown));
    progress->bytes += static_cast<uint64_t>(got);
  }
  return absl::CancelledError("cut off");
}

absl::Status KeepTimes(int fd, const struct stat& info,
                       const std::string& shown) {
  const timespec times[] = {info.st_atim, info.st_mtim};
  if (futimens(fd, times) == 0) return absl::OkStatus();
  return Error(errno, "set the times of", shown);
}

// Walks both trees together, by descriptors only, so that a directory replaced
// by a link leads nowhere else.
class Walk {
 public:
  // If `copy` is false, only counts.
  Walk(bool copy, CopyProgress* progress) : copy_(copy), progress_(progress) {}

  absl::Status Entry(int from, const std::string& name, bool follow, int to,
                     const std::string& new_name, const std::string& shown,
                     int depth) {
    if (progress_->cancel) return absl::CancelledError("cut off");
    struct stat info {};
    if (fstatat(from, name.c_str(), &info, follow ? 0 : AT_SYMLINK_NOFOLLOW) !=
        0) {
      return Error(errno, "open", shown);
    }
    if (S_ISREG(info.st_mode)) {
      return File(from, name, follow, to, new_name, shown, info);
    }
    if (S_ISDIR(info.st_mode)) {
      return Directory(from, name, follow, to, new_name, shown, info, depth);
    }
    if (S_ISLNK(info.st_mode)) return Link(from, name, to, new_name, shown);
    ++progress_->left_out;
    return absl::OkStatus();
  }

 private:
  absl::Status File(int from, const std::string& name, bool follow, int to,
                    const std::string& new_name, const std::string& shown,
                    const struct stat& info) {
    ++progress_->files;
    if (!copy_) {
      progress_->bytes += static_cast<uint64_t>(info.st_size);
      return absl::OkStatus();
    }
    const UniqueFd source(
        openat(from, name.c_str(),
               O_RDONLY | O_NONBLOCK | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)));
    if (!source.valid()) return Error(errno, "open", shown);
    // A name that other copies into this directory do not use, and that no
    // other user can create in advance.
    const std::string part =
        absl::StrCat(".carme-part-", HexEncode(RandomBytes(8)));
    UniqueFd target(openat(to, part.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           0600));
    if (!target.valid()) return Error(errno, "write the copy of", shown);
    absl::Status done = CopyBytes(source.get(), target.get(), shown, progress_);
    if (done.ok() && fchmod(target.get(), info.st_mode & kPermissions) != 0) {
      done = Error(errno, "set the permissions of", shown);
    }
    if (done.ok()) done = KeepTimes(target.get(), info, shown);
    // Network file systems report a full disk only here.
    if (done.ok() && close(target.release()) != 0) {
      done = Error(errno, "write the copy of", shown);
    }
    if (done.ok() && renameat(to, part.c_str(), to, new_name.c_str()) != 0) {
      done = Error(errno, "replace", new_name);
    }
    if (!done.ok()) unlinkat(to, part.c_str(), 0);
    return done;
  }

  absl::Status Link(int from, const std::string& name, int to,
                    const std::string& new_name, const std::string& shown) {
    ++progress_->files;
    if (!copy_) return absl::OkStatus();
    char target[4096];
    const ssize_t size = readlinkat(from, name.c_str(), target, sizeof target);
    if (size < 0 || size == sizeof target) return Error(errno, "read", shown);
    const std::string text(target, static_cast<size_t>(size));
    if (symlinkat(text.c_str(), to, new_name.c_str()) == 0) {
      return absl::OkStatus();
    }
    if (errno == EEXIST && unlinkat(to, new_name.c_str(), 0) == 0 &&
        symlinkat(text.c_str(), to, new_name.c_str()) == 0) {
      return absl::OkStatus();
    }
    return Error(errno, "write the copy of", shown);
  }

  absl::Status Directory(int from, const std::string& name, bool follow, int to,
                         const std::string& new_name, const std::string& shown,
                         const struct stat& info, int depth) {
    if (depth == kMaxTreeDepth) {
      return MakePlainError(file_tree_messages::kTooManyDirectories,
                            {{"path", shown}, {"max", kMaxTreeDepth}});
    }
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    const UniqueFd source(
        openat(from, name.c_str(), flags | (follow ? 0 : O_NOFOLLOW)));
    if (!source.valid()) return Error(errno, "open", shown);
    UniqueFd target;
    if (copy_) {
      if (mkdirat(to, new_name.c_str(), 0700) != 0 && errno != EEXIST) {
        return Error(errno, "make the copy of", shown);
      }
      target.reset(openat(to, new_name.c_str(), flags | O_NOFOLLOW));
      if (!target.valid()) return Error(errno, "make the copy of", shown);
    }
    ASSIGN_OR_RETURN(const auto names, ReadDirectory(source.get(), shown));
    for (const std::string& entry : names) {
      RETURN_IF_ERROR(Entry(source.get(), entry, false, target.get(), entry,
                            absl::StrCat(shown, "/", entry), depth + 1));
    }
    if (!copy_) return absl::OkStatus();
    if (fchmod(target.get(), info.st_mode & kPermissions) != 0) {
      return Error(errno, "set the permissions of", shown);
    }
    return KeepTimes(target.get(), info, shown);
  }

  const bool copy_;
  CopyProgress* const progress_;
};

// Creates the directories above `path` and opens the last.
absl::StatusOr<UniqueFd> OpenParent(const std::string& path, mode_t umask) {
  UniqueFd fd(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  size_t begin = 1;
  for (size_t end = path.find('/', begin); end != std::string::npos;
       end = path.find('/', begin)) {
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    const bool made = mkdirat(fd.get(), name.c_str(), 0700) == 0;
    if (made &&
        fchmodat(fd.get(), name.c_str(), kPermissions & ~umask, 0) != 0) {
      return Error(errno, "make", path.substr(0, end));
    }
    UniqueFd next(
        openat(fd.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Search permission suffices for the directories on the way.
    if (!next.valid() && errno == EACCES) {
      next.reset(
          openat(fd.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    if (!next.valid()) return Error(errno, "open", path.substr(0, end));
    fd = std::move(next);
  }
  return fd;
}

}  // namespace

absl::Status MeasureTree(const std::string& from, CopyProgress* measured) {
  return Walk(false, measured).Entry(AT_FDCWD, from, true, -1, "", from, 0);
}

absl::Status CopyTree(const std::string& from, const std::string& to,
                      mode_t umask, CopyProgress* progress) {
  if (to.empty() || to[0] != '/') {
    return MakePlainError(file_tree_messages::kCopyToRelativePath,
                          {{"path", to}});
  }
  const std::string target = to.substr(0, to.find_last_not_of('/') + 1);
  ASSIGN_OR_RETURN(const UniqueFd parent, OpenParent(target, umask));
  const std::string name = target.substr(target.rfind('/') + 1);
  if (name.empty() || name == "." || name == "..") {
    return MakePlainError(file_tree_messages::kCopyWithoutName, {{"path", to}});
  }
  return Walk(true, progress)
      .Entry(AT_FDCWD, from, true, parent.get(), name, from, 0);
}

}  // namespace carme::node
