// The environment of a job on one node: verifies the image, enters the
// environment, and starts programs in it. The agent has one on the first node,
// and each node agent on its node.
//
//     Open ─► image verified ─► carme-init runs in it ─► Start, Signal …
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_JOB_ENVIRONMENT_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_JOB_ENVIRONMENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/environment/init_link.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {

class JobEnvironment {
 public:
  // Callbacks to the owner.
  struct Owner {
    std::function<void()> entered;
    // Events of programs started by Start.
    std::function<void(const carme::node::v1::ProgramStarted&)> started;
    std::function<void(const carme::node::v1::ProgramEnded&)> ended;
    // The environment could not be entered, or has ended; called once.
    std::function<void(int exit_code, const DisplayText& detail)> failed;
  };
  // Called with the exit code; with an error and exit code 127 if the program
  // did not start.
  using OnEnd = std::function<void(int exit_code, const std::string& error)>;

  // All references must outlive this.
  JobEnvironment(net::EventLoop& loop, const Clock& clock,
                 const JobFacts& facts, const EnvironmentPlan& plan,
                 Owner owner);
  // Ends the environment and all programs in it.
  ~JobEnvironment();

  // Starts the environment. Failures are reported through `failed`.
  void Open();
  bool entered() const { return entered_; }
  // The first process in it, in this pid namespace; 0 if there is none.
  pid_t init_pid() const { return entered_ ? init_->pid() : 0; }

  // Starts a program. The request contains an id below kFirstOwnId. Descriptors
  // stay the caller's; -1 as input: /dev/null. UNAVAILABLE.
  absl::Status Start(carme::node::v1::StartProgram request, int input,
                     int output, int error);
  // Same as Start with an id chosen here, and with a callback.
  absl::Status Run(carme::node::v1::StartProgram request, int input, int output,
                   int error, OnEnd on_end);
  absl::Status Signal(uint64_t id, int number);

  // Must be called for each SIGCHLD.
  void OnChild();

  // From now on the end of the environment is not a failure.
  void Expect() { ending_ = true; }

  static constexpr uint64_t kFirstOwnId = uint64_t{1} << 32;

 private:
  absl::Status Prepare() const;
  void OnPrepared(const absl::Status& status);
  std::string OwnImage() const;  // path of the copy of another user's image
  absl::Status Enter();
  void OnEvent(const carme::node::v1::InitEvent& event);
  void OnEntered();
  void Fail(int exit_code, const DisplayText& detail);

  net::EventLoop& loop_;
  const Clock& clock_;
  const absl::Time opened_;
  const JobFacts& facts_;
  const EnvironmentPlan& plan_;
  const Owner owner_;
  std::thread preparation_;
  std::unique_ptr<InitLink> init_;
  std::optional<node::ChildProcess> process_;
  std::map<uint64_t, OnEnd> own_;
  uint64_t last_own_id_ = kFirstOwnId;
  bool entered_ = false;
  bool ending_ = false;
  bool failed_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_JOB_ENVIRONMENT_H_
