// A command that this program stands in front of. It stays in the session and
// on the terminal of this program, unlike node::ChildProcess.
#ifndef CARME_SLURM_HOOKS_GSSR_WRAPPED_COMMAND_H_
#define CARME_SLURM_HOOKS_GSSR_WRAPPED_COMMAND_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::gssr {

class WrappedCommand {
 public:
  // Blocks the signals that are forwarded. Call before other threads start.
  static void BlockSignals();

  // NOT_FOUND: the program does not exist. Other codes: it cannot be executed.
  static absl::StatusOr<WrappedCommand> Start(
      const std::vector<std::string>& command);

  // Forwards signals until `deadline` or the end of the command. Returns its
  // exit code, 128 + the number of the signal that ended it; nullopt: it runs.
  std::optional<int> ForwardSignals(absl::Time deadline);

  // To the command, and to its group if that is not the group of this program.
  void Signal(int number);

 private:
  explicit WrappedCommand(pid_t pid, bool own_group)
      : pid_(pid), own_group_(own_group) {}
  pid_t pid_;
  bool own_group_;
};

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_WRAPPED_COMMAND_H_
