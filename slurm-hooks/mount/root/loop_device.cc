#include "slurm-hooks/mount/root/loop_device.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/mount/root/messages.h"

namespace carme::mount {
namespace {

constexpr int kMaxLoopTries = 64;
// Documentation/admin-guide/devices.txt
constexpr unsigned kMiscMajor = 10;
constexpr unsigned kControlMinor = 237;
constexpr unsigned kLoopMajor = 7;

absl::StatusOr<UniqueFd> OpenNode(const std::string& path, mode_t kind,
                                  dev_t number) {
  unlink(path.c_str());
  if (mknod(path.c_str(), kind | 0600, number) != 0) {
    return ErrnoError(errno, "make a loop device's file");
  }
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) return ErrnoError(errno, "open a loop device");
  return fd;
}

}  // namespace

absl::StatusOr<LoopDevice> MakeLoopDevice(int file, SquashfsExtent extent,
                                          const std::string& directory) {
  ASSIGN_OR_RETURN(const UniqueFd control,
                   OpenNode(absl::StrCat(directory, "/loop-control"), S_IFCHR,
                            makedev(kMiscMajor, kControlMinor)));
  loop_config config{};
  config.fd = static_cast<uint32_t>(file);
  config.info.lo_offset = extent.offset;
  config.info.lo_sizelimit = extent.size;
  config.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR;
  for (int i = 0; i < kMaxLoopTries; ++i) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return ErrnoError(errno, "find a free loop device");
    LoopDevice device;
    device.path = absl::StrCat(directory, "/loop");
    ASSIGN_OR_RETURN(
        device.fd,
        OpenNode(device.path, S_IFBLK,
                 makedev(kLoopMajor, static_cast<unsigned>(number))));
    if (ioctl(device.fd.get(), LOOP_CONFIGURE, &config) == 0) return device;
    if (errno != EBUSY) return ErrnoError(errno, "set up a loop device");
  }
  return MakePlainError(mount_root_messages::kNoLoopDevice);
}

}  // namespace carme::mount
