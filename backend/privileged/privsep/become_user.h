// The permanent switch from root to a user.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_BECOME_USER_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_BECOME_USER_H_

#include "absl/status/status.h"
#include "backend/privileged/privsep/account.h"

namespace carme {

// Drops root irrevocably. REQUIRES: a fresh child with one thread; the
// account's groups were looked up before. If the status is not OK, the child
// must _exit. If it is OK:
//   1. the environment is empty;
//   2. the groups are the account's, and all user and group ids are its own;
//   3. attempts to regain root, by three calls, have failed;
//   4. there are no capabilities, no_new_privs is set, and the process is not
//      dumpable, so that other processes of the user cannot trace it;
//   5. the umask is 077 and the working directory is /;
//   6. stdin, stdout and stderr are /dev/null, and the only other open
//      descriptor is `keep_fd`.
absl::Status BecomeUser(const Account& account, int keep_fd);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_BECOME_USER_H_
