#include "slurm-hooks/mount/system/mount_calls.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::mount {
namespace {

absl::Status Set(int fd, unsigned flags, uint64_t attributes,
                 uint64_t propagation) {
  mount_attr attr{};
  attr.attr_set = attributes;
  attr.propagation = propagation;
  if (mount_setattr(fd, "", AT_EMPTY_PATH | flags, &attr, sizeof attr) == 0) {
    return absl::OkStatus();
  }
  return ErrnoError(errno, "set a mount's flags");
}

}  // namespace

absl::StatusOr<UniqueFd> CloneTree(int fd) {
  UniqueFd tree(open_tree(
      fd, "",
      AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!tree.valid()) return ErrnoError(errno, "clone a mount");
  return tree;
}

absl::StatusOr<UniqueFd> NewFileSystem(
    const std::string& type,
    const std::vector<std::pair<std::string, std::string>>& options,
    uint64_t attributes) {
  const std::string what = absl::StrCat("make a ", type);
  const UniqueFd context(fsopen(type.c_str(), FSOPEN_CLOEXEC));
  if (!context.valid()) return ErrnoError(errno, what);
  for (const auto& [key, value] : options) {
    const bool flag = value.empty();
    if (fsconfig(context.get(), flag ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING,
                 key.c_str(), flag ? nullptr : value.c_str(), 0) != 0) {
      return ErrnoError(errno, absl::StrCat(what, " with ", key, "=", value));
    }
  }
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return ErrnoError(errno, what);
  }
  UniqueFd mount(fsmount(context.get(), FSMOUNT_CLOEXEC,
                         static_cast<unsigned>(attributes)));
  if (!mount.valid()) return ErrnoError(errno, what);
  return mount;
}

absl::Status SetAttributes(int tree, uint64_t attributes,
                           uint64_t propagation) {
  return Set(tree, AT_RECURSIVE, attributes, propagation);
}

absl::Status SetAttributesOfOne(int mount, uint64_t attributes) {
  return Set(mount, 0, attributes, 0);
}

absl::Status Attach(int tree, int target) {
  if (move_mount(tree, "", target, "",
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0) {
    return absl::OkStatus();
  }
  return ErrnoError(errno, "attach it");
}

absl::StatusOr<uint64_t> MountId(int fd) {
  struct statx info {};
  if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &info) !=
          0 ||
      (info.stx_mask & STATX_MNT_ID) == 0) {
    return absl::InternalError(
        "a mount has no id: expected Linux 5.8 or newer");
  }
  return info.stx_mnt_id;
}

}  // namespace carme::mount
