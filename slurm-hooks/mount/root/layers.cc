#include "slurm-hooks/mount/root/layers.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/hooks/jobs_directory.h"
#include "slurm-hooks/mount/root/messages.h"

namespace carme::mount {
namespace {

// The kernel stores the credentials of the process that mounts an overlay and
// accesses the lower layers with them. They have the user's ids, because
// network file systems and FUSE check these.
absl::Status MountOverlay(const std::string& layers, const std::string& path,
                          KeptCapabilities kept, const User& user,
                          const Deadline& deadline) {
  const auto mount_it = [&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(BecomeUserKeeping(user, kept));
    if (::mount("overlay", path.c_str(), "overlay", MS_NOSUID | MS_NODEV,
                layers.c_str()) != 0) {
      return ErrnoError(errno, "put a layer over the image");
    }
    return "";
  };
  return RunInChild(deadline, FormatMessage(mount_root_messages::kLayerLate),
                    mount_it)
      .status();
}

bool IsOverlay(const std::string& path) {
  struct statfs info {};
  return statfs(path.c_str(), &info) == 0 &&
         info.f_type == OVERLAYFS_SUPER_MAGIC;
}

}  // namespace

std::string WorkPath(absl::string_view name) {
  return absl::StrCat(kWork, "/", name);
}

absl::Status MountWorkDirectory(const User& user) {
  absl::StatusOr<UniqueFd> made =
      hooks::OpenJobsDirectory(kWork, hooks::IfMissing::kMake);
  RETURN_IF_ERROR(made.status());
  // MountOverlay searches it without CAP_DAC_READ_SEARCH
  if (::mount("tmpfs", kWork, "tmpfs", MS_NOSUID, "mode=0711") != 0) {
    return ErrnoError(errno, "make a tmpfs");
  }
  for (const char* const name :
       {"lower", "shown", "empty", "upper", "work", "root"}) {
    if (mkdir(WorkPath(name).c_str(), 0755) != 0) {
      return ErrnoError(errno, "make a directory");
    }
  }
  // the owner and mode of the environment's "/"
  if (chown(WorkPath("upper").c_str(), user.uid, user.gid) != 0) {
    return ErrnoError(errno, "give the layer to the user");
  }
  return absl::OkStatus();
}

absl::Status CheckUserMayRead(int directory, const User& user,
                              const Deadline& deadline) {
  const auto open_it = [&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(BecomeUser(user));
    const UniqueFd opened(
        openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.valid()) return ErrnoError(errno, "read it");
    return "";
  };
  return RunInChild(deadline, FormatMessage(mount_root_messages::kOpenLate),
                    open_it)
      .status();
}

// A mount of the user's layer needs the capabilities that override permissions:
// the kernel's work directory has mode 0, and copies of files keep their
// owners. The mode of the layer's "/" replaces that of the image's. Therefore a
// directory is first mounted read-only by an overlay of its own, without these
// capabilities, and the kernel checks the user's permissions in it at each
// access. Overlays nest twice, so a directory that is in an overlay already
// relies on CheckUserMayRead and on the permissions below the directory.
absl::StatusOr<UniqueFd> MountLayers(LowerLayer lower, const User& user,
                                     const Deadline& deadline) {
  std::string below = WorkPath("lower");
  if (lower == LowerLayer::kDirectory && !IsOverlay(below)) {
    RETURN_IF_ERROR(MountOverlay(
        absl::StrCat("lowerdir=", below, ":", WorkPath("empty")),
        WorkPath("shown"), KeptCapabilities::kMount, user, deadline));
    below = WorkPath("shown");
  }
  RETURN_IF_ERROR(MountOverlay(
      absl::StrCat("lowerdir=", below, ",upperdir=", WorkPath("upper"),
                   ",workdir=", WorkPath("work")),
      WorkPath("root"), KeptCapabilities::kAll, user, deadline));
  UniqueFd root(
      open(WorkPath("root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return ErrnoError(errno, "open the new root");
  return root;
}

}  // namespace carme::mount
