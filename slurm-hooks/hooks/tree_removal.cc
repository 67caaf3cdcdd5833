#include "slurm-hooks/hooks/tree_removal.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hooks/messages.h"

namespace carme::hooks {
namespace {

// Names read at a time: a directory may hold millions.
constexpr size_t kNamesAtOnce = 1024;

absl::StatusOr<UniqueFd> OpenDirectory(int parent, const std::string& name) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  // A bind mount within one file system has the same st_dev; NO_XDEV sees it.
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  const long fd = syscall(SYS_openat2, parent, name.c_str(), &how, sizeof how);
  if (fd >= 0) return UniqueFd(static_cast<int>(fd));
  if (errno == EXDEV) {
    return MakePlainError(hook_messages::kMountPoint, {{"name", name}});
  }
  return ErrnoError(errno, absl::StrCat("open \"", name, "\""));
}

absl::StatusOr<std::vector<std::string>> ReadNames(int directory) {
  const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(
      again >= 0 ? fdopendir(again) : nullptr, closedir);
  if (stream == nullptr) return ErrnoError(errno, "read directory");
  std::vector<std::string> names;
  while (names.size() < kNamesAtOnce) {
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

// Removes a name with unlink or rmdir. Returns false for a directory that is
// not empty.
absl::StatusOr<bool> RemoveSimple(int parent, const std::string& name) {
  if (unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return true;
  if (errno == EISDIR) {
    if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) return true;
    if (errno == ENOENT) return true;
    if (errno == ENOTEMPTY) return false;
  }
  return ErrnoError(errno, absl::StrCat("remove \"", name, "\""));
}

class Removal {
 public:
  Removal(Uid user, absl::Time deadline) : user_(user), deadline_(deadline) {}

  absl::Status Run(int parent, const std::string& name) {
    ASSIGN_OR_RETURN(const bool gone, RemoveSimple(parent, name));
    if (gone) return absl::OkStatus();
    ASSIGN_OR_RETURN(const UniqueFd top, OpenDirectory(parent, name));
    struct stat info {};
    if (fstat(top.get(), &info) != 0) return ErrnoError(errno, name);
    owner_ = Uid(info.st_uid);
    RETURN_IF_ERROR(Lock(top.get(), name));
    return Empty(parent, name, top.get(), [&](const std::string& below) {
      return RemoveBelowTop(top.get(), below);
    });
  }

 private:
  // Takes a directory from its user. A directory of a third user may have been
  // moved in and is not emptied; one of root could only have been moved in by
  // others if they may write it.
  absl::Status Lock(int fd, const std::string& name) {
    struct stat info {};
    if (fstat(fd, &info) != 0) return ErrnoError(errno, name);
    const Uid found(info.st_uid);
    const bool roots_alone =
        found == Uid(0) && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    if (found != user_ && found != owner_ && !roots_alone) {
      return MakePlainError(hook_messages::kDirectoryOfAnother,
                            {{"name", name}, {"uid", found.value()}});
    }
    if (fchown(fd, 0, 0) != 0 || fchmod(fd, 0700) != 0) {
      return ErrnoError(errno, absl::StrCat("lock \"", name, "\""));
    }
    return absl::OkStatus();
  }

  // Empties the locked `directory` in passes, then removes it; returns the last
  // error if a pass changed nothing.
  template <typename RemoveOne>
  absl::Status Empty(int parent, const std::string& name, int directory,
                     RemoveOne remove_one) {
    while (true) {
      ASSIGN_OR_RETURN(const auto entries, ReadNames(directory));
      if (entries.empty()) return RemoveSimple(parent, name).status();
      const uint64_t changes_before = changes_;
      absl::Status last = absl::OkStatus();
      for (const std::string& entry : entries) {
        if (absl::Now() > deadline_) {
          return MakePlainError(hook_messages::kRemovalLate);
        }
        const absl::Status removed = remove_one(entry);
        if (absl::IsDeadlineExceeded(removed)) return removed;
        if (removed.ok()) ++changes_;
        if (!removed.ok()) last = removed;
      }
      if (changes_ == changes_before) return last;
    }
  }

  absl::Status RemoveBelowTop(int top, const std::string& name) {
    ASSIGN_OR_RETURN(const bool gone, RemoveSimple(top, name));
    if (gone) return absl::OkStatus();
    ASSIGN_OR_RETURN(const UniqueFd child, OpenDirectory(top, name));
    RETURN_IF_ERROR(Lock(child.get(), name));
    return Empty(
        top, name, child.get(), [&](const std::string& below) -> absl::Status {
          ASSIGN_OR_RETURN(const bool removed,
                           RemoveSimple(child.get(), below));
          return removed ? absl::OkStatus() : MoveUp(child.get(), below, top);
        });
  }

  absl::Status MoveUp(int from, const std::string& name, int top) {
    while (true) {
      const std::string fresh = absl::StrCat(".carme-", ++moved_);
      if (renameat2(from, name.c_str(), top, fresh.c_str(), RENAME_NOREPLACE) ==
          0) {
        return absl::OkStatus();
      }
      if (errno != EEXIST) {
        return ErrnoError(errno, absl::StrCat("move \"", name, "\""));
      }
    }
  }

  const Uid user_;
  const absl::Time deadline_;
  Uid owner_;  // original owner of the top
  uint64_t moved_ = 0;
  uint64_t changes_ = 0;  // entries removed or moved
};

}  // namespace

absl::Status RemoveTree(int parent, const std::string& name, Uid user,
                        absl::Time deadline) {
  return Removal(user, deadline).Run(parent, name);
}

}  // namespace carme::hooks
