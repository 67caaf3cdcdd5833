// carme-agent as Slurm starts it: a process of the user `ada` of the private
// cluster, with a runtime directory, a configuration and a log of its own.
#ifndef CARME_TESTS_SLURM_HOOKS_AGENT_AGENT_PROCESS_H_
#define CARME_TESTS_SLURM_HOOKS_AGENT_AGENT_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/slurm-hooks/agent/fake_backend.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::agent {

inline constexpr uid_t kAda = 20001;
inline constexpr uid_t kBob = 20002;

using testing::WaitFor;

// REQUIRES: root, in deploy/cluster; elsewhere the test program ends with 77.
class AgentProcess {
 public:
  explicit AgentProcess(FakeAgentBackend& backend);
  ~AgentProcess();

  // Of test_app in the runtime directory.
  std::vector<std::string> AppCommand(const std::string& mode = "") const;
  // As an administrator does it: while the agent runs.
  void WriteAuthorities(const std::string& ca_pem) const;
  // The agent finds this test double of a GPU driver, with these values
  // (fake_nvml.c), and its job has the GPUs `gpus`. Call it before Start.
  void UseGpuDriver(const std::string& library, const std::string& series,
                    const std::string& gpus);
  void Start();
  // Start, and wait until the agent has reported that the app is ready.
  void StartAndAwaitReady();

  std::string directory() const { return dir_.File("jobs/7"); }
  std::string scratch() const { return dir_.File("scratch/7"); }
  std::string socket() const { return directory() + "/jupyter.sock"; }
  // What reached the app, without the readiness probes.
  std::string Seen() const;
  std::string Log() const;
  // Whether the log has it.
  bool Says(const std::string& text) const;
  // What an app wrote.
  std::string AppLog(const std::string& app = "jupyter") const;
  // Whether the agent has reported this state.
  bool Reported(carme::v1::AppState state,
                const std::string& app = "jupyter") const;
  // As the app wrote it down; 0 before.
  pid_t AppPid(const std::string& app = "jupyter") const;

  void Signal(int number) const;
  // 128 + a signal's number; -1: it is still there after `timeout`.
  int ExitCode(absl::Duration timeout = testing::kWaitTimeout);

 private:
  FakeAgentBackend& backend_;
  TempDir dir_;
  std::vector<std::string> variables_ = {"SLURM_JOB_ID=7"};
  pid_t pid_ = -1;
  int exit_code_ = -1;
};

}  // namespace carme::agent

#endif  // CARME_TESTS_SLURM_HOOKS_AGENT_AGENT_PROCESS_H_
