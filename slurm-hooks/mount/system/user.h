// Whose environment is made, and how this root program acts with no more than
// that user's rights.
#ifndef CARME_SLURM_HOOKS_MOUNT_SYSTEM_USER_H_
#define CARME_SLURM_HOOKS_MOUNT_SYSTEM_USER_H_

#include <sys/types.h>

#include "absl/status/status.h"

namespace carme::mount {

// The supplementary groups are those that Slurm gave this process.
struct User {
  uid_t uid = 0;
  gid_t gid = 0;
};

// For good, and proves it: the process has the user's ids and no capability,
// gains none by exec, and ends with its parent. PERMISSION_DENIED for root.
absl::Status BecomeUser(const User& user);

// Which capabilities a process keeps when its ids become the user's.
enum class Powers {
  kAll,    // root's
  kMount,  // CAP_SYS_ADMIN: to mount, with the user's permissions for files
};

// For good: all ids are the user's, but capabilities stay. What the process
// mounts reads its lower layers with these credentials, and network file
// systems and FUSE check the ids. PERMISSION_DENIED for root.
absl::Status BecomeUserWithPowers(const User& user, Powers powers);

// While it lives, files are looked up, read and made with the user's rights;
// the process keeps its other ones, and the user can send it no signal. Not in
// a threaded process.
class FilesAsUser {
 public:
  explicit FilesAsUser(const User& user);
  ~FilesAsUser();
  FilesAsUser(const FilesAsUser&) = delete;
  FilesAsUser& operator=(const FilesAsUser&) = delete;
};

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_SYSTEM_USER_H_
