#include "slurm-hooks/file_tree/tree_delete.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/file_tree/directory.h"
#include "slurm-hooks/file_tree/messages.h"

namespace carme::node {
namespace {

absl::Status DeleteError(int error, const std::string& shown) {
  return ErrnoError(error, absl::StrCat("delete \"", shown, "\""));
}

// By descriptors only, so that a directory that is replaced by a link meanwhile
// leads nowhere else.
absl::Status DeleteEntry(int parent, const std::string& name,
                         const std::string& shown, int depth, DeleteMode mode,
                         CopyProgress* progress) {
  if (progress->cancel) return absl::CancelledError("cancelled");
  struct stat info {};
  if (fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return DeleteError(errno, shown);
  }
  if (!S_ISDIR(info.st_mode)) {
    if (unlinkat(parent, name.c_str(), 0) != 0) {
      return DeleteError(errno, shown);
    }
    ++progress->files;
    if (S_ISREG(info.st_mode)) {
      progress->bytes += static_cast<uint64_t>(info.st_size);
    }
    return absl::OkStatus();
  }
  if (depth == kMaxTreeDepth) {
    return MakePlainError(file_tree_messages::kTooManyDirectories,
                          {{"path", shown}, {"max", kMaxTreeDepth}});
  }
  {
    const UniqueFd directory(openat(
        parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    // An empty directory can be deleted without permission to read it.
    if (!directory.valid() && errno != EACCES) {
      return DeleteError(errno, shown);
    }
    if (directory.valid()) {
      if (mode == DeleteMode::kOwnCopy) {
        [[maybe_unused]] const int ignored = fchmod(directory.get(), 0700);
      }
      ASSIGN_OR_RETURN(const auto entries,
                       ReadDirectory(directory.get(), shown));
      for (const std::string& entry : entries) {
        RETURN_IF_ERROR(DeleteEntry(directory.get(), entry,
                                    absl::StrCat(shown, "/", entry), depth + 1,
                                    mode, progress));
      }
    }
  }
  if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) {
    return DeleteError(errno, shown);
  }
  ++progress->files;
  return absl::OkStatus();
}

}  // namespace

absl::Status DeleteTree(const std::string& path, CopyProgress* progress,
                        DeleteMode mode) {
  return DeleteEntry(AT_FDCWD, path, path, 0, mode, progress);
}

}  // namespace carme::node
