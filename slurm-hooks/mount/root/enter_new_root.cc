#include "slurm-hooks/mount/root/enter_new_root.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "common/status.h"
#include "slurm-hooks/mount/images/squashfs_image.h"
#include "slurm-hooks/mount/images/trusted_image.h"
#include "slurm-hooks/mount/root/layers.h"
#include "slurm-hooks/mount/root/loop_device.h"
#include "slurm-hooks/mount/root/messages.h"
#include "slurm-hooks/mount/root/new_root.h"
#include "slurm-hooks/mount/root/root_fs.h"
#include "slurm-hooks/mount/system/mount_calls.h"

namespace carme::mount {
namespace {

constexpr uint64_t kUsers = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr size_t kMaxMountinfoBytes = 16 << 20;

// Mounts a squashfs in a trusted file at `path`.
absl::Status MountSquashfs(int file, const MountConfig& config,
                           const std::string& path) {
  RETURN_IF_ERROR(CheckTrusted(file, config.images));
  ASSIGN_OR_RETURN(const SquashfsExtent extent, FindSquashfs(file));
  ASSIGN_OR_RETURN(const LoopDevice device,
                   MakeLoopDevice(file, extent, kWork));
  const bool done = ::mount(device.path.c_str(), path.c_str(), "squashfs",
                            MS_RDONLY | MS_NOSUID | MS_NODEV, nullptr) == 0;
  const int error = errno;
  unlink(device.path.c_str());
  return done ? absl::OkStatus() : ErrnoError(error, "mount its squashfs");
}

absl::Status CheckNothingBelow(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string mounts,
                   ReadFile("/proc/self/mountinfo", kMaxMountinfoBytes));
  for (const absl::string_view line : absl::StrSplit(mounts, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ');
    if (fields.size() > 4 &&
        absl::StrContains(fields[4], absl::StrCat(path, "/"))) {
      return MakePlainError(mount_root_messages::kMountsInside);
    }
  }
  return absl::OkStatus();
}

absl::Status AttachAt(int tree, const std::string& path) {
  const UniqueFd target(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return Attach(tree, target.get());
}

// The user opened `directory` with O_PATH, which needs no permission for it.
// The overlay would show what is hidden under a mount below it: there must be
// none.
absl::Status MountDirectory(int directory, const std::string& path,
                            const User& user, const Deadline& deadline) {
  RETURN_IF_ERROR(CheckUserMayRead(directory, user, deadline));
  ASSIGN_OR_RETURN(const UniqueFd tree, CloneTree(directory));
  RETURN_IF_ERROR(
      SetAttributes(tree.get(), kUsers | MOUNT_ATTR_RDONLY, MS_PRIVATE));
  RETURN_IF_ERROR(AttachAt(tree.get(), path));
  return CheckNothingBelow(path);
}

absl::Status MountImage(const MountPlan& plan, const MountConfig& config,
                        const User& user, const Deadline& deadline) {
  const std::string lower = WorkPath("lower");
  return Annotate(plan.served.valid() ? AttachAt(plan.served.get(), lower)
                  : plan.image_is_file
                      ? MountSquashfs(plan.image.get(), config, lower)
                      : MountDirectory(plan.image.get(), lower, user, deadline),
                  absl::StrCat("image \"", plan.image_path, "\""));
}

absl::Status AttachFile(int source, uint64_t attributes,
                        const std::string& path, bool slave, NewRoot* root) {
  struct stat info {};
  if (fstat(source, &info) != 0) return ErrnoError(errno, "stat it");
  ASSIGN_OR_RETURN(const UniqueFd tree, CloneTree(source));
  RETURN_IF_ERROR(
      SetAttributes(tree.get(), attributes, slave ? MS_SLAVE : MS_PRIVATE));
  ASSIGN_OR_RETURN(const UniqueFd target,
                   root->FindOrMake(path, S_ISDIR(info.st_mode)));
  return Attach(tree.get(), target.get());
}

absl::Status AddMount(const PlannedMount& mount, const MountConfig& config,
                      int number, NewRoot* root) {
  const uint64_t attributes = kUsers |
                              (mount.read_only ? MOUNT_ATTR_RDONLY : 0) |
                              (mount.no_exec ? MOUNT_ATTR_NOEXEC : 0);
  if (!mount.squashfs) {
    return AttachFile(mount.source.get(), attributes, mount.destination,
                      mount.slave, root);
  }
  if (mount.served.valid()) {
    ASSIGN_OR_RETURN(const UniqueFd target,
                     root->FindOrMake(mount.destination, true));
    return Attach(mount.served.get(), target.get());
  }
  const std::string path = WorkPath(absl::StrCat("sqsh", number));
  if (mkdir(path.c_str(), 0755) != 0) return ErrnoError(errno, "make a place");
  RETURN_IF_ERROR(MountSquashfs(mount.source.get(), config, path));
  const UniqueFd fd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return AttachFile(fd.get(), attributes, mount.destination, false, root);
}

absl::Status AddMounts(const MountPlan& plan, const MountConfig& config,
                       NewRoot* root) {
  int number = 0;
  for (const PlannedMount& mount : plan.mounts) {
    RETURN_IF_ERROR(
        Annotate(AddMount(mount, config, number++, root),
                 absl::StrCat("mount \"", mount.source_path, "\" at \"",
                              mount.destination, "\"")));
  }
  return absl::OkStatus();
}

// Slurm writes the script to a directory that the user may change.
UniqueFd OpenAsUser(const std::string& path, const User& user) {
  const FilesAsUser as_user(user);
  return UniqueFd(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

absl::Status AddScript(const std::string& script, const User& user,
                       NewRoot* root) {
  if (script.empty()) return absl::OkStatus();
  const UniqueFd fd = OpenAsUser(script, user);
  if (!fd.valid()) return ErrnoError(errno, "open the job's script");
  return Annotate(
      AttachFile(fd.get(), kUsers | MOUNT_ATTR_RDONLY, script, false, root),
      "mount the job's script");
}

// pivot_root(2), "pivot_root(".", ".")": the old root lies over the new one
// and is taken off.
absl::Status SwapRoots(int root) {
  if (fchdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 ||
      umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) {
    return ErrnoError(errno, "change the root");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LeaveNode() {
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return ErrnoError(errno, "make namespaces of mounts and IPC");
  }
  return absl::OkStatus();
}

absl::StatusOr<ImageFacts> EnterNewRoot(const MountPlan& plan,
                                        const MountConfig& config,
                                        const User& user,
                                        const std::string& script,
                                        const Deadline& deadline) {
  RETURN_IF_ERROR(MountWorkDirectory(user));
  RETURN_IF_ERROR(MountImage(plan, config, user, deadline));
  ASSIGN_OR_RETURN(UniqueFd layers,
                   MountLayers(plan.image_is_file ? LowerLayer::kFileSystem
                                                  : LowerLayer::kDirectory,
                               user, deadline));
  ASSIGN_OR_RETURN(NewRoot root, NewRoot::Over(std::move(layers), user));
  ImageFacts facts = ReadImageFacts(root);
  RETURN_IF_ERROR(AddNames(plan, kWork, &root));
  RETURN_IF_ERROR(AddTemporary(kWork, &root));
  RETURN_IF_ERROR(AddKernelFileSystems(&root));
  RETURN_IF_ERROR(AddDevices(plan.devices, kWork, &root));
  RETURN_IF_ERROR(AddMounts(plan, config, &root));
  RETURN_IF_ERROR(AddScript(script, user, &root));
  if (!plan.writable) {
    RETURN_IF_ERROR(SetAttributesOfOne(root.fd(), MOUNT_ATTR_RDONLY));
  }
  RETURN_IF_ERROR(SwapRoots(root.fd()));
  return facts;
}

}  // namespace carme::mount
