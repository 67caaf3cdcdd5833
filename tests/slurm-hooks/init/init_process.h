// A real carme-init, with the test in the agent's place.
#ifndef CARME_TESTS_SLURM_HOOKS_INIT_INIT_PROCESS_H_
#define CARME_TESTS_SLURM_HOOKS_INIT_INIT_PROCESS_H_

#include <optional>
#include <string>
#include <vector>

#include "carme/node/v1/init.pb.h"
#include "common/unique_fd.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::node {

class InitProcess {
 public:
  InitProcess();  // waits until it is up
  ~InitProcess();

  const std::string& directory() const { return directory_; }
  pid_t pid() const { return process_->pid(); }

  // Starts `command`, whose output goes to Output().
  v1::ProgramStarted Start(uint64_t id,
                           const std::vector<std::string>& command);
  v1::ProgramStarted Start(v1::StartProgram request);
  void Signal(uint64_t id, int number);
  void SendBytes(const std::string& bytes);
  void HangUp() { connection_.reset(); }

  // The next event; none when it does not come within ten seconds.
  std::optional<v1::InitEvent> Next();
  // How carme-init itself ended, within ten seconds.
  std::optional<ProcessEnd> AwaitEnd();
  // What the programs have written so far.
  std::string Output() const;

 private:
  std::string directory_;
  UniqueFd output_;
  std::optional<ChildProcess> process_;
  UniqueFd connection_;
};

}  // namespace carme::node

#endif  // CARME_TESTS_SLURM_HOOKS_INIT_INIT_PROCESS_H_
