#include "slurm-hooks/mount/root/new_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status.h"
#include "slurm-hooks/mount/root/messages.h"
#include "slurm-hooks/mount/system/mount_calls.h"

namespace carme::mount {
namespace {

// EAGAIN: the user renamed a component during the look-up.
constexpr int kMaxNameTries = 100;

UniqueFd OpenIn(int root, const std::string& path, uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  for (int i = 0; i < kMaxNameTries; ++i) {
    fd = syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    if (fd >= 0 || errno != EAGAIN) break;
  }
  return UniqueFd(static_cast<int>(fd));
}

absl::Status Failed(int error, const std::string& path) {
  return ErrnoError(error, absl::StrCat("\"", path, "\" in the environment"));
}

bool IsDirectory(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

// An errno.
int MakeAt(int parent, const std::string& name, bool directory) {
  if (directory) return mkdirat(parent, name.c_str(), 0755) == 0 ? 0 : errno;
  const UniqueFd made(
      openat(parent, name.c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  return made.valid() ? 0 : errno;
}

}  // namespace

absl::StatusOr<NewRoot> NewRoot::Over(UniqueFd root, const User& user) {
  ASSIGN_OR_RETURN(const uint64_t id, MountId(root.get()));
  return NewRoot(std::move(root), id, user);
}

// Only with the user's permissions: otherwise the result would reveal names in
// directories that are closed to the user.
absl::StatusOr<UniqueFd> NewRoot::Find(const std::string& path) const {
  const FilesAsUser as_user(user_);
  UniqueFd fd = OpenIn(root_.get(), path, O_PATH);
  if (!fd.valid()) return Failed(errno, path);
  return fd;
}

absl::StatusOr<UniqueFd> NewRoot::Make(const std::string& parent,
                                       const std::string& name,
                                       bool directory) {
  const std::string path = absl::StrCat(parent, "/", name);
  ASSIGN_OR_RETURN(const UniqueFd above,
                   Find(parent.empty() ? std::string("/") : parent));
  ASSIGN_OR_RETURN(const uint64_t mount, MountId(above.get()));
  int error = 0;
  if (mount == mount_id_) {
    error = MakeAt(above.get(), name, directory);
  } else {
    const FilesAsUser as_user(user_);
    error = MakeAt(above.get(), name, directory);
  }
  if (error != 0) {
    return ErrnoError(error,
                      absl::StrCat("make \"", path, "\" in the environment"));
  }
  return Find(path);
}

absl::StatusOr<UniqueFd> NewRoot::FindOrMake(const std::string& path,
                                             bool directory) {
  const std::vector<std::string> names =
      absl::StrSplit(path, '/', absl::SkipEmpty());
  std::string parent;
  absl::StatusOr<UniqueFd> found = absl::NotFoundError(path);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string here = absl::StrCat(parent, "/", names[i]);
    found = Find(here);
    if (absl::IsNotFound(found.status())) {
      found = Make(parent, names[i], directory || i + 1 < names.size());
    }
    RETURN_IF_ERROR(found.status());
    parent = here;
  }
  RETURN_IF_ERROR(found.status());
  if (IsDirectory(found->get()) != directory) {
    return MakePlainError(directory ? mount_root_messages::kTargetIsFile
                                    : mount_root_messages::kTargetIsDirectory,
                          {{"path", path}});
  }
  ASSIGN_OR_RETURN(const uint64_t mount, MountId(found->get()));
  if (closed_.count(mount) != 0) {
    return MakePlainError(mount_root_messages::kOwnOfEnvironment,
                          {{"path", path}});
  }
  return found;
}

absl::Status NewRoot::Close(int mount) {
  ASSIGN_OR_RETURN(const uint64_t id, MountId(mount));
  closed_.insert(id);
  return absl::OkStatus();
}

std::string NewRoot::ReadFile(const std::string& path, size_t max) const {
  const FilesAsUser as_user(user_);
  // check its kind first: opening a pipe would block, opening a device may have
  // effects
  const UniqueFd fd = OpenIn(root_.get(), path, O_PATH);
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return "";
  }
  const UniqueFd file(open(absl::StrCat("/proc/self/fd/", fd.get()).c_str(),
                           O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text(max + 1, '\0');
  size_t size = 0;
  ssize_t got = 0;
  while (file.valid() && size < text.size() &&
         (got = read(file.get(), text.data() + size, text.size() - size)) > 0) {
    size += static_cast<size_t>(got);
  }
  if (got < 0 || size > max) return "";
  text.resize(size);
  return text;
}

}  // namespace carme::mount
