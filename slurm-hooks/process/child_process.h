// A program as a child: its own session, ended with whoever started it.
//
// Thread rule: Start and everything else from the thread that lives as long as
// the program: the kernel ends the child when the thread that started it ends.
#ifndef CARME_SLURM_HOOKS_PROCESS_CHILD_PROCESS_H_
#define CARME_SLURM_HOOKS_PROCESS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::node {

struct Launch {
  std::vector<std::string> arguments;    // the program first; no shell
  std::vector<std::string> environment;  // "NAME=value"; PATH is searched
  std::string directory;                 // to start in; "/" if it cannot be
  bool must_enter = false;               // or else not started
  mode_t umask = 077;
  // Descriptors that become the child's; -1: it has its parent's. They stay
  // the caller's.
  int input = -1;
  int output = -1;
  int error = -1;
};

// How a process ended.
struct ProcessEnd {
  int exit_code = 0;  // 128 + the signal's number when a signal ended it
  int signal = 0;     // 0: it ended by itself
};

// What waitpid(2) says of an ended process.
ProcessEnd EndOf(int wait_status);

class ChildProcess {
 public:
  // NOT_FOUND, PERMISSION_DENIED and others of execve(2) and of entering the
  // directory, naming the program.
  static absl::StatusOr<ChildProcess> Start(const Launch& launch);

  pid_t pid() const { return pid_; }
  // To every process of the child's group that still is.
  void Signal(int number) const;
  // Nothing while it runs. Afterwards always the same.
  std::optional<ProcessEnd> TakeEnd();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  std::optional<ProcessEnd> end_;
};

}  // namespace carme::node

#endif  // CARME_SLURM_HOOKS_PROCESS_CHILD_PROCESS_H_
