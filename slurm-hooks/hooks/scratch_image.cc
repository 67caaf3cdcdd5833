#include "slurm-hooks/hooks/scratch_image.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <linux/major.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hooks/messages.h"
#include "slurm-hooks/hooks/runtime_mount.h"
#include "slurm-hooks/hooks/scratch_template.h"
#include "slurm-hooks/hooks/scratch_trash.h"

namespace carme::hooks {
namespace {

// ext4's ioctl "shutdown" without writing anything more (Linux 4.10; fs/ext4,
// EXT4_GOING_FLAGS_NOLOGFLUSH): 5 ms, where unmounting writes data for seconds
// that is not read again.
constexpr unsigned long kShutDown = _IOR('X', 125, uint32_t);
constexpr uint32_t kWriteNothing = 2;
constexpr int kMaxTries = 64;
constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string ImageName(const std::string& name) {
  return absl::StrCat(name, ".image");
}

absl::Status NoRoom(int gib) {
  return MakePlainError(hook_messages::kNoRoomForScratch, {{"gib", gib}});
}

// Checked first: fallocate may fill the disk before it fails.
absl::StatusOr<bool> HasRoom(int jobs, int gib) {
  struct statvfs disk {};
  const UniqueFd fd(openat(jobs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || fstatvfs(fd.get(), &disk) != 0) {
    return ErrnoError(errno, "read the free space of the disk");
  }
  const uint64_t free = disk.f_bavail * disk.f_frsize;
  return free >> 30 > static_cast<uint64_t>(gib);
}

// Space of earlier jobs that is still being freed is no reason to fail.
absl::Status CheckRoom(int jobs, int gib, absl::Time deadline) {
  ASSIGN_OR_RETURN(const bool at_once, HasRoom(jobs, gib));
  if (at_once) return absl::OkStatus();
  RETURN_IF_ERROR(EmptyTrash(jobs, deadline));
  ASSIGN_OR_RETURN(const bool now, HasRoom(jobs, gib));
  return now ? absl::OkStatus() : NoRoom(gib);
}

absl::Status Reserve(int image, int gib) {
  if (fallocate(image, 0, 0, static_cast<off_t>(gib) << 30) == 0) {
    return absl::OkStatus();
  }
  if (errno == ENOSPC) return NoRoom(gib);
  return ErrnoError(errno, absl::StrCat("reserve ", gib, " GiB"));
}

absl::StatusOr<UniqueFd> MakeImageFile(int jobs, const std::string& image,
                                       int gib) {
  UniqueFd fd(openat(jobs, image.c_str(),
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return ErrnoError(errno, absl::StrCat("make ", image));
  RETURN_IF_ERROR(Reserve(fd.get(), gib));
  return fd;
}

// Returns a loop device for `image`; it is detached with its last user.
absl::StatusOr<std::string> AttachLoop(int image, UniqueFd* held) {
  const UniqueFd control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control.valid()) return ErrnoError(errno, "open \"/dev/loop-control\"");
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return ErrnoError(errno, "find a free loop device");
    std::string path = absl::StrCat("/dev/loop", number);
    UniqueFd device(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!device.valid()) return ErrnoError(errno, absl::StrCat("open ", path));
    loop_config config{};
    config.fd = static_cast<uint32_t>(image);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) {
      *held = std::move(device);
      return path;
    }
    // Another process was faster.
    if (errno != EBUSY) return ErrnoError(errno, absl::StrCat("set up ", path));
  }
  return MakePlainError(hook_messages::kNoLoopDevice);
}

absl::Status MountDevice(int jobs, const std::string& name, int image) {
  UniqueFd held;
  ASSIGN_OR_RETURN(const std::string device, AttachLoop(image, &held));
  // Without lazy initialisation, which would free the blocks again.
  if (mount(device.c_str(), MountPoint(jobs, name).c_str(), "ext4",
            MS_NOSUID | MS_NODEV, "noinit_itable") != 0) {
    return ErrnoError(errno, absl::StrCat("mount \"", ImageName(name), "\""));
  }
  return absl::OkStatus();
}

absl::Status Mount(int jobs, const std::string& name, int gib,
                   absl::Time deadline) {
  const std::string image = ImageName(name);
  RETURN_IF_ERROR(CheckRoom(jobs, gib, deadline));
  ASSIGN_OR_RETURN(const UniqueFd file, MakeImageFile(jobs, image, gib));
  RETURN_IF_ERROR(WriteEmptyFileSystem(jobs, file.get(), gib, deadline));
  if (!MountDevice(jobs, name, file.get()).ok()) {
    // A template damaged by a crash of the node is created again.
    RemoveTemplate(jobs, gib);
    RETURN_IF_ERROR(WriteEmptyFileSystem(jobs, file.get(), gib, deadline));
    RETURN_IF_ERROR(MountDevice(jobs, name, file.get()));
  }
  const UniqueFd root(openat(jobs, name.c_str(), kOpenDirectory));
  if (!root.valid() || (unlinkat(root.get(), "lost+found", AT_REMOVEDIR) != 0 &&
                        errno != ENOENT)) {
    return ErrnoError(errno, absl::StrCat("open \"", image, "\""));
  }
  return absl::OkStatus();
}

// Returns whether `directory` is on a loop device of the file `image`: no other
// file system may be shut down, whatever is mounted here.
bool IsOn(int directory, const struct stat& image) {
  struct stat info {};
  if (fstat(directory, &info) != 0 || major(info.st_dev) != LOOP_MAJOR) {
    return false;
  }
  const UniqueFd device(
      open(absl::StrCat("/dev/loop", minor(info.st_dev)).c_str(),
           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat node {};
  loop_info64 loop{};
  return device.valid() && fstat(device.get(), &node) == 0 &&
         S_ISBLK(node.st_mode) && node.st_rdev == info.st_dev &&
         ioctl(device.get(), LOOP_GET_STATUS64, &loop) == 0 &&
         loop.lo_inode == image.st_ino && loop.lo_device == image.st_dev;
}

// Shuts down the file system in `image` and returns its root; invalid if that
// failed.
UniqueFd ShutDown(int jobs, const std::string& name, const struct stat& image) {
  UniqueFd root(openat(jobs, name.c_str(), kOpenDirectory));
  uint32_t how = kWriteNothing;
  if (!root.valid() || !IsOn(root.get(), image) ||
      ioctl(root.get(), kShutDown, &how) != 0) {
    root.reset();
  }
  return root;
}

// Returns false if it did not exist.
absl::StatusOr<bool> Unmount(int jobs, const std::string& name) {
  if (umount2(MountPoint(jobs, name).c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) ==
      0) {
    return true;
  }
  if (errno == EINVAL || errno == ENOENT) return false;
  return ErrnoError(errno, absl::StrCat("unmount \"", name, "\""));
}

}  // namespace

absl::Status MountScratchImage(int jobs, const std::string& name, int gib,
                               absl::Time deadline) {
  const absl::Status mounted = Mount(jobs, name, gib, deadline);
  if (!mounted.ok()) RemoveScratchImage(jobs, name).IgnoreError();
  EmptyLeftoverTrashInBackground(jobs);
  return mounted;
}

absl::Status RemoveScratchImage(int jobs, const std::string& name) {
  const std::string image = ImageName(name);
  struct stat info {};
  if (fstatat(jobs, image.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT
               ? absl::OkStatus()
               : ErrnoError(errno, absl::StrCat("look at \"", image, "\""));
  }
  UniqueFd root = ShutDown(jobs, name, info);
  ASSIGN_OR_RETURN(const bool was_mounted, Unmount(jobs, name));
  // Processes that still write to it need the complete file.
  if ((root.valid() || !was_mounted) && MoveToTrash(jobs, image).ok()) {
    EmptyTrashInBackground(jobs, std::move(root));
    return absl::OkStatus();
  }
  if (unlinkat(jobs, image.c_str(), 0) != 0 && errno != ENOENT) {
    return ErrnoError(errno, absl::StrCat("remove \"", image, "\""));
  }
  return absl::OkStatus();
}

}  // namespace carme::hooks
