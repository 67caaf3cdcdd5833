// The directory of a program's state and keys.
#ifndef CARME_BACKEND_STORE_PRIVATE_DIRECTORY_H_
#define CARME_BACKEND_STORE_PRIVATE_DIRECTORY_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"

namespace carme::backend {

// OK: a directory of `owner` with mode 0700. FAILED_PRECONDITION: another owner
// or mode; NOT_FOUND, PERMISSION_DENIED. The message begins with the quoted
// path.
absl::Status CheckPrivateDirectory(const std::string& path, uid_t owner);

// OK: all regular files of the directory belong to `owner`.
// FAILED_PRECONDITION: one belongs to another user, such as a database or key
// that root has copied; the message has the remedy.
absl::Status CheckFileOwners(const std::string& path, uid_t owner);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORE_PRIVATE_DIRECTORY_H_
