// Whose environment is made, and how this root program acts with no more than
// that user's rights.
#ifndef CARME_SLURM_HOOKS_MOUNT_USER_H_
#define CARME_SLURM_HOOKS_MOUNT_USER_H_

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

// For good: all ids are the user's, and all capabilities stay root's. What is
// mounted so looks below itself in the user's name, which network file systems
// and FUSE ask for, with root's powers.
absl::Status BecomeUserWithPowers(const User& user);

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

#endif  // CARME_SLURM_HOOKS_MOUNT_USER_H_
