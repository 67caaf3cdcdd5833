#include "slurm-hooks/scratch_image.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/program_run.h"

namespace carme::hooks {
namespace {

// No journal: after a crash of the node nobody reads it again. No room to grow
// and nothing kept for root: it is made in milliseconds, and all of it is the
// job's. "nodiscard" keeps the space that was taken.
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
constexpr int kMostTries = 64;

std::string ImageName(const std::string& name) {
  return absl::StrCat(name, ".image");
}

// A path to what lies in a directory that is held open.
std::string PathIn(int directory, const std::string& name) {
  return absl::StrCat("/proc/", getpid(), "/fd/", directory, "/", name);
}

absl::Status NoRoom(int gib) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "the node's disk has no room for the job's scratch of ", gib, " GiB"));
}

// Asked for what it has not, a disk may give all it has before it says no.
absl::Status CheckRoom(int jobs, int gib) {
  struct statvfs disk {};
  const UniqueFd fd(openat(jobs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || fstatvfs(fd.get(), &disk) != 0) {
    return ErrnoError(errno, "look at the disk");
  }
  const uint64_t free = disk.f_bavail * disk.f_frsize;
  return free >> 30 > static_cast<uint64_t>(gib) ? absl::OkStatus()
                                                 : NoRoom(gib);
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

// The loop device that shows `image`; it goes when its last user goes.
absl::StatusOr<std::string> AttachLoop(int image, UniqueFd* held) {
  const UniqueFd control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control.valid()) return ErrnoError(errno, "open \"/dev/loop-control\"");
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
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
  return absl::UnavailableError("no loop device is free");
}

absl::Status Mount(int jobs, const std::string& name, int gib,
                   absl::Time deadline) {
  const std::string image = ImageName(name);
  RETURN_IF_ERROR(CheckRoom(jobs, gib));
  ASSIGN_OR_RETURN(const UniqueFd file, MakeImageFile(jobs, image, gib));
  std::vector<std::string> make = kMakeFileSystem;
  make.push_back(PathIn(jobs, image));
  RETURN_IF_ERROR(
      RunProgram(make, {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, deadline));
  // mkfs gives back what it zeroes.
  RETURN_IF_ERROR(Reserve(file.get(), gib));
  UniqueFd held;
  ASSIGN_OR_RETURN(const std::string device, AttachLoop(file.get(), &held));
  // Zeroing the inode tables later on would give their space back again.
  if (mount(device.c_str(), PathIn(jobs, name).c_str(), "ext4",
            MS_NOSUID | MS_NODEV, "noinit_itable") != 0) {
    return ErrnoError(errno, absl::StrCat("mount \"", image, "\""));
  }
  const UniqueFd root(openat(jobs, name.c_str(),
                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root.valid() || (unlinkat(root.get(), "lost+found", AT_REMOVEDIR) != 0 &&
                        errno != ENOENT)) {
    return ErrnoError(errno, absl::StrCat("open \"", image, "\""));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MountScratchImage(int jobs, const std::string& name, int gib,
                               absl::Time deadline) {
  const absl::Status mounted = Mount(jobs, name, gib, deadline);
  if (!mounted.ok()) RemoveScratchImage(jobs, name).IgnoreError();
  return mounted;
}

absl::Status RemoveScratchImage(int jobs, const std::string& name) {
  const std::string image = ImageName(name);
  if (faccessat(jobs, image.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
      errno == ENOENT) {
    return absl::OkStatus();
  }
  const std::string path = PathIn(jobs, name);
  // EINVAL: not a mount point, or no more.
  for (int flags = UMOUNT_NOFOLLOW; umount2(path.c_str(), flags) != 0;) {
    if (errno == EINVAL || errno == ENOENT) break;
    if (errno != EBUSY || (flags & MNT_DETACH) != 0) {
      return ErrnoError(errno, absl::StrCat("unmount \"", image, "\""));
    }
    flags |= MNT_DETACH;
  }
  if (unlinkat(jobs, image.c_str(), 0) != 0 && errno != ENOENT) {
    return ErrnoError(errno, absl::StrCat("remove \"", image, "\""));
  }
  return absl::OkStatus();
}

}  // namespace carme::hooks
