// Signals to a process that a test found by looking for it. What was not found
// is 0 or -1, and to kill(2) these are everybody: the test's own process group
// with its parent, or every process that there is.
#ifndef CARME_TESTS_SUPPORT_SIGNALS_H_
#define CARME_TESTS_SUPPORT_SIGNALS_H_

#include <signal.h>
#include <sys/types.h>

#include <cerrno>

namespace carme::testing {

// False, with errno, when there is no such process.
inline bool Signal(pid_t pid, int number) {
  if (pid <= 1) {
    errno = ESRCH;
    return false;
  }
  return kill(pid, number) == 0;
}

}  // namespace carme::testing

#endif  // CARME_TESTS_SUPPORT_SIGNALS_H_
