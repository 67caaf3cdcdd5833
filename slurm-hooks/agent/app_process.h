// The app as a process: its own session, inheriting the job's output, ended
// with the agent.
//
// Thread rule: Start and everything else from the thread that lives as long as
// the program: the kernel ends the app when the thread that started it ends.
#ifndef CARME_SLURM_HOOKS_AGENT_APP_PROCESS_H_
#define CARME_SLURM_HOOKS_AGENT_APP_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::agent {

struct AppLaunch {
  std::vector<std::string> arguments;    // the program first; no shell
  std::vector<std::string> environment;  // "NAME=value"; PATH is searched
  std::string directory;                 // to start in; "/" if it cannot be
  mode_t umask = 077;
};

// How a process ended.
struct AppEnd {
  int exit_code = 0;  // 128 + the signal's number when a signal ended it
  int signal = 0;     // 0: it ended by itself
};

class AppProcess {
 public:
  // NOT_FOUND, PERMISSION_DENIED and others of execve(2), naming the program.
  static absl::StatusOr<AppProcess> Start(const AppLaunch& launch);

  pid_t pid() const { return pid_; }
  // To every process of the app's group that still is.
  void Signal(int number) const;
  // Nothing while it runs. Afterwards always the same.
  std::optional<AppEnd> TakeEnd();

 private:
  explicit AppProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  std::optional<AppEnd> end_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_APP_PROCESS_H_
