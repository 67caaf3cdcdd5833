// The user of an environment, and how this root program acts with the user's
// rights only.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_USER_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_USER_H_

#include <sys/types.h>

#include "absl/status/status.h"

namespace carme::mount {

// The supplementary groups are those that Slurm set for this process.
struct User {
  uid_t uid = 0;
  gid_t gid = 0;
};

// Switches to the user permanently and verifies it: the process has the user's
// ids and no capability, gains none by exec, and dies with its parent.
// PERMISSION_DENIED for root.
absl::Status BecomeUser(const User& user);

// The capabilities that a process keeps when its ids become the user's.
enum class KeptCapabilities {
  kAll,    // all capabilities
  kMount,  // CAP_SYS_ADMIN only: mounts, with the user's file permissions
};

// Switches all ids to the user permanently, but keeps capabilities. Mounts by
// the process access their lower layers with these credentials, and network
// file systems and FUSE check the ids. PERMISSION_DENIED for root.
absl::Status BecomeUserKeeping(const User& user, KeptCapabilities kept);

// During its lifetime files are accessed with the user's rights; the process
// keeps its other rights, and the user cannot signal it. Not for processes with
// threads.
class FilesAsUser {
 public:
  explicit FilesAsUser(const User& user);
  ~FilesAsUser();
  FilesAsUser(const FilesAsUser&) = delete;
  FilesAsUser& operator=(const FilesAsUser&) = delete;
};

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_USER_H_
