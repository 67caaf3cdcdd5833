// Runs a program of the site's that knows how full an area is.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_COMMAND_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::impersonator {

inline constexpr size_t kMostCommandOutput = 64 * 1024;

// Its standard output. As the user this process is, without a shell, in a
// session of its own, with standard input and errors as they are here, and with
// PATH and LC_ALL for an environment. At its end, at `deadline`, or when
// `line`, a socket, has hung up, all that is left of its process group is
// killed. REQUIRES: one thread; a program's path in front. FAILED_PRECONDITION:
// somebody but root can change the program, or it cannot be started.
// DEADLINE_EXCEEDED. CANCELLED: nobody listens any more. INTERNAL: it failed,
// or said too much.
absl::StatusOr<std::string> RunStorageCommand(
    const std::vector<std::string>& command, int line, absl::Time deadline);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_COMMAND_H_
