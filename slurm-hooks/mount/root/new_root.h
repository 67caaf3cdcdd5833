// Where in the new root a mount goes: found, or made.
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

// The root that is being built. Names are looked up in it as processes inside
// would: its links lead nowhere outside. Not thread-safe.
class NewRoot {
 public:
  // REQUIRES: `root` is the mount of the image, with a layer of its own that
  // takes what is written.
  static absl::StatusOr<NewRoot> Over(UniqueFd root, const User& user);

  int fd() const { return root_.get(); }

  // What is at the path, as a descriptor without rights (O_PATH), found with
  // the user's permissions.
  absl::StatusOr<UniqueFd> Find(const std::string& path) const;

  // The same, of the kind that `source` has, a directory or another file. What
  // is missing is made: in the image's layer by root, and in what is mounted
  // over it with the user's rights, because there it is the node's file system.
  // PERMISSION_DENIED: a mount that is closed.
  absl::StatusOr<UniqueFd> FindOrMake(const std::string& path, bool directory);

  // Nothing is mounted inside of this mount from here on.
  absl::Status Close(int mount);

  // With the user's rights; at most `most` bytes. Empty when it is no file, is
  // not there or longer.
  std::string ReadFile(const std::string& path, size_t most) const;

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
