// Runs a program of the site that reports the usage of an area.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_COMMAND_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::storage_reader {

inline constexpr size_t kMaxCommandOutput = 64 * 1024;

// Returns the program's standard output. It runs as the user that this process
// runs as, without a shell, in its own session, with this process's standard
// input and standard error, and with only PATH and LC_ALL in its environment.
// When it ends, at `deadline`, and when the peer of `parent_fd`, a socket, has
// closed it, its whole process group is killed. REQUIRES: one thread;
// command[0] is a path.
// FAILED_PRECONDITION: users other than root can change the program, or it
// cannot be started. DEADLINE_EXCEEDED. CANCELLED: `parent_fd` was closed.
// INTERNAL: it failed, or wrote too much.
absl::StatusOr<std::string> RunStorageCommand(
    const std::vector<std::string>& command, int parent_fd,
    absl::Time deadline);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_COMMAND_H_
