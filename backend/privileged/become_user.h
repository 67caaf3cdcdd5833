// The switch from root to a user, for good.
#ifndef CARME_BACKEND_PRIVILEGED_BECOME_USER_H_
#define CARME_BACKEND_PRIVILEGED_BECOME_USER_H_

#include "absl/status/status.h"
#include "backend/privileged/account.h"

namespace carme::impersonator {

// REQUIRES: a fresh child with one thread, whose groups were looked up before
// the fork. Afterwards, or the status is not OK and the child must _exit:
//   1. the environment is empty;
//   2. the groups are the account's, and all user and group ids are its own;
//   3. root has been asked for again, three ways, and was not given;
//   4. there are no capabilities, no_new_privs is set, and nobody may trace;
//   5. the umask is 077 and the directory /;
//   6. stdin, stdout and stderr are /dev/null, and of all other descriptors
//      only `keep_fd` is open.
absl::Status BecomeUser(const Account& account, int keep_fd);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_BECOME_USER_H_
