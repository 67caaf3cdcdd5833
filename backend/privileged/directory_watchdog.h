// NSS gives no time-out and cannot be interrupted: when it blocks, this says
// for its caller that it could not tell, and ends the process.
#ifndef CARME_BACKEND_PRIVILEGED_DIRECTORY_WATCHDOG_H_
#define CARME_BACKEND_PRIVILEGED_DIRECTORY_WATCHDOG_H_

#include <string>

#include "absl/time/time.h"

namespace carme {

// Armed while it lives; one at a time. When the time is over it writes
// `answer` to `fd` and `audit_line` to stderr, and ends the process. It works
// in a signal handler, where nothing but write(2) and _exit(2) is safe: so
// both are made beforehand. REQUIRES: one thread, SIGALRM not blocked.
class DirectoryWatchdog {
 public:
  DirectoryWatchdog(absl::Duration timeout, int fd, std::string answer,
                    std::string audit_line);
  ~DirectoryWatchdog();
  DirectoryWatchdog(const DirectoryWatchdog&) = delete;
  DirectoryWatchdog& operator=(const DirectoryWatchdog&) = delete;
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_DIRECTORY_WATCHDOG_H_
