#include "slurm-hooks/hooks/scratch_template.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hooks/program_run.h"

namespace carme::hooks {
namespace {

// No journal: nothing reads the file system after a crash of the node. No
// reserved blocks: all space belongs to the job. "nodiscard": the blocks of the
// file must stay allocated.
const std::vector<std::string> kMakeFileSystem = {
    "/sbin/mkfs.ext4",
    "-q",
    "-F",
    "-b",
    "4096",
    "-m",
    "0",
    "-O",
    "^has_journal,^resize_inode",
    "-E",
    "lazy_itable_init=1,nodiscard"};
constexpr size_t kCopyBytes = 256 << 10;
constexpr mode_t kRootsAlone = 0600;

off_t BytesOf(int gib) { return static_cast<off_t>(gib) << 30; }

// Change the name when the options change.
std::string TemplateName(int gib) {
  return absl::StrCat("empty-", gib, "-1.ext4");
}

// It gets its name when it is complete, so a crash leaves no partial template.
absl::StatusOr<UniqueFd> MakeTemplate(int jobs, int gib, absl::Time deadline) {
  UniqueFd fd(openat(jobs, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, kRootsAlone));
  if (!fd.valid() || ftruncate(fd.get(), BytesOf(gib)) != 0) {
    return ErrnoError(errno, "make an empty file system");
  }
  const std::string path = absl::StrCat("/proc/", getpid(), "/fd/", fd.get());
  std::vector<std::string> make = kMakeFileSystem;
  make.push_back(path);
  RETURN_IF_ERROR(
      RunProgram(make, {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, deadline));
  // EEXIST: another job's Prolog was faster.
  if (linkat(AT_FDCWD, path.c_str(), jobs, TemplateName(gib).c_str(),
             AT_SYMLINK_FOLLOW) != 0 &&
      errno != EEXIST) {
    return ErrnoError(errno, absl::StrCat("keep ", TemplateName(gib)));
  }
  return fd;
}

bool IsTemplate(int fd, int gib) {
  struct stat info {};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == 0 &&
         (info.st_mode & 07777) == kRootsAlone &&
         info.st_size == BytesOf(gib) && info.st_blocks > 0;
}

absl::StatusOr<UniqueFd> OpenTemplate(int jobs, int gib, absl::Time deadline) {
  UniqueFd fd(openat(jobs, TemplateName(gib).c_str(),
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.valid() && IsTemplate(fd.get(), gib)) return fd;
  if (fd.valid()) RemoveTemplate(jobs, gib);
  return MakeTemplate(jobs, gib, deadline);
}

// By read and write: copy_file_range(2) may share blocks between the files, and
// then a first write could find no space.
absl::Status CopyPart(int from, int to, off_t begin, off_t end) {
  std::vector<char> piece(kCopyBytes);
  while (begin < end) {
    const size_t max =
        std::min<size_t>(piece.size(), static_cast<size_t>(end - begin));
    const ssize_t got = pread(from, piece.data(), max, begin);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return ErrnoError(got < 0 ? errno : EIO, "read a template");
    if (pwrite(to, piece.data(), static_cast<size_t>(got), begin) != got) {
      return ErrnoError(errno, "write a file system");
    }
    begin += got;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteEmptyFileSystem(int jobs, int image, int gib,
                                  absl::Time deadline) {
  ASSIGN_OR_RETURN(const UniqueFd from, OpenTemplate(jobs, gib, deadline));
  for (off_t end = 0;;) {
    const off_t begin = lseek(from.get(), end, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) return absl::OkStatus();  // holes follow
    end = begin < 0 ? -1 : lseek(from.get(), begin, SEEK_HOLE);
    if (end < 0) return ErrnoError(errno, "read a template");
    RETURN_IF_ERROR(CopyPart(from.get(), image, begin, end));
  }
}

void RemoveTemplate(int jobs, int gib) {
  unlinkat(jobs, TemplateName(gib).c_str(), 0);
}

}  // namespace carme::hooks
