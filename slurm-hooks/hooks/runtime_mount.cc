#include "slurm-hooks/hooks/runtime_mount.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::hooks {
namespace {

// Sockets, keys, lists of nodes and a rendered environment.
constexpr char kSize[] = "size=16m,nr_inodes=4096,mode=0700,uid=";

}  // namespace

std::string MountPoint(int directory, const std::string& name) {
  return absl::StrCat("/proc/", getpid(), "/fd/", directory, "/", name);
}

absl::Status MountRuntime(int jobs, const std::string& name, Uid user) {
  if (mount("carme", MountPoint(jobs, name).c_str(), "tmpfs",
            MS_NOSUID | MS_NODEV,
            absl::StrCat(kSize, user.value()).c_str()) != 0) {
    return ErrnoError(errno, absl::StrCat("mount a tmpfs on \"", name, "\""));
  }
  return absl::OkStatus();
}

absl::Status UnmountRuntime(int jobs, const std::string& name) {
  {
    const UniqueFd fd(openat(jobs, name.c_str(),
                             O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct statfs here {};
    if (!fd.valid() || fstatfs(fd.get(), &here) != 0 ||
        here.f_type != TMPFS_MAGIC) {
      return absl::OkStatus();
    }
  }
  // EINVAL: it is no mount point, but in a tmpfs, as /run is.
  if (umount2(MountPoint(jobs, name).c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) ==
          0 ||
      errno == EINVAL || errno == ENOENT) {
    return absl::OkStatus();
  }
  return ErrnoError(errno, absl::StrCat("unmount \"", name, "\""));
}

}  // namespace carme::hooks
