// Finds or creates the destinations of mounts in the new root.
#ifndef CARME_SLURM_HOOKS_MOUNT_ROOT_NEW_ROOT_H_
#define CARME_SLURM_HOOKS_MOUNT_ROOT_NEW_ROOT_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/mount/system/user.h"

namespace carme::mount {

// The root under construction. Names are resolved as for processes inside:
// links never lead outside. Not thread-safe.
class NewRoot {
 public:
  // `root` must be the mount of the image with a writable layer of its own.
  static absl::StatusOr<NewRoot> Over(UniqueFd root, const User& user);

  int fd() const { return root_.get(); }

  // Returns an O_PATH descriptor of the path, found with the user's
  // permissions.
  absl::StatusOr<UniqueFd> Find(const std::string& path) const;

  // Same as Find, but creates a missing directory or file: in the image's layer
  // as root, in other mounts with the user's rights, because they belong to the
  // node. PERMISSION_DENIED: in a closed mount.
  absl::StatusOr<UniqueFd> FindOrMake(const std::string& path, bool directory);

  // Forbids destinations inside this mount from now on.
  absl::Status Close(int mount);

  // Reads at most `max` bytes of a file with the user's rights. Empty if it is
  // missing, longer, or not a file.
  std::string ReadFile(const std::string& path, size_t max) const;

 private:
  NewRoot(UniqueFd root, uint64_t mount_id, const User& user)
      : root_(std::move(root)), mount_id_(mount_id), user_(user) {}
  absl::StatusOr<UniqueFd> Make(const std::string& parent,
                                const std::string& name, bool directory);

  UniqueFd root_;
  uint64_t mount_id_;
  User user_;
  std::set<uint64_t> closed_;
};

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_ROOT_NEW_ROOT_H_
