// Starts a program as a child process in its own session. The child ends with
// the thread that started it.
//
// Thread safety: call Start and all other functions on a thread that lives as
// long as the program: the kernel ends the child when the thread that started
// it ends.
#ifndef CARME_SLURM_HOOKS_CHILD_PROCESS_CHILD_PROCESS_H_
#define CARME_SLURM_HOOKS_CHILD_PROCESS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::node {

struct Launch {
  // the program first; no shell is involved
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value"; PATH is searched
  std::string directory;    // working directory; "/" if it cannot be entered
  bool must_enter = false;  // fail if `directory` cannot be entered
  mode_t umask = 077;
  // Descriptors for the child; -1: inherited from the parent. They stay the
  // caller's.
  int input = -1;
  int output = -1;
  int error = -1;
};

// How a process ended.
struct ProcessEnd {
  int exit_code = 0;  // 128 + the number of the signal that ended it
  int signal = 0;     // 0: it exited
};

// Converts a status from waitpid(2).
ProcessEnd EndOf(int wait_status);

class ChildProcess {
 public:
  // Fails with NOT_FOUND, PERMISSION_DENIED and other errors of execve(2) and
  // chdir(2), which name the program.
  static absl::StatusOr<ChildProcess> Start(const Launch& launch);

  pid_t pid() const { return pid_; }
  // Sends a signal to all processes in the child's process group.
  void Signal(int number) const;
  // Returns nullopt while it runs; afterwards always the same value.
  std::optional<ProcessEnd> TakeEnd();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  std::optional<ProcessEnd> end_;
};

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_CHILD_PROCESS_CHILD_PROCESS_H_
