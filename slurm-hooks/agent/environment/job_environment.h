// The environment of a job on one of its nodes: checked, entered, and what is
// started in it. The first node's agent has one, and each other node's peer.
//
//   Open ─► image checked ─► carme-init runs in it ─► Start, Signal …
//
// Thread rule: the loop's thread.
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
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/environment/init_link.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/process/child_process.h"

namespace carme::agent {

class JobEnvironment {
 public:
  // What happens to it.
  struct Owner {
    std::function<void()> entered;
    // About programs that Start was called for.
    std::function<void(const carme::node::v1::Started&)> started;
    std::function<void(const carme::node::v1::Ended&)> ended;
    // It could not be entered, or is no more; once.
    std::function<void(int exit_code, const std::string& detail)> failed;
  };
  // A program without an app: how it ended; an error, with exit code 127, when
  // it did not start.
  using OnEnd = std::function<void(int exit_code, const std::string& error)>;

  // All that is passed by reference must outlive this.
  JobEnvironment(net::EventLoop& loop, const Clock& clock,
                 const JobFacts& facts, const EnvironmentPlan& plan,
                 Owner owner);
  // Ends the environment and whatever runs in it.
  ~JobEnvironment();

  // What fails from here on is said by `failed`.
  void Open();
  bool entered() const { return entered_; }
  // The first process in it, as this side counts; 0 while there is none.
  pid_t init_pid() const { return entered_ ? init_->pid() : 0; }

  // The order names its id, below kFirstOwnId. Descriptors stay the caller's;
  // -1 as input: /dev/null. UNAVAILABLE.
  absl::Status Start(carme::node::v1::Start order, int input, int output,
                     int error);
  // As Start, with an id of this one's own.
  absl::Status Run(carme::node::v1::Start order, int input, int output,
                   int error, OnEnd on_end);
  absl::Status Signal(uint64_t id, int number);

  // For SIGCHLD.
  void OnChild();

  // From now on an end of the environment is no failure.
  void Expect() { ending_ = true; }

  static constexpr uint64_t kFirstOwnId = uint64_t{1} << 32;

 private:
  absl::Status Prepare() const;
  void OnPrepared(const absl::Status& status);
  std::string OwnImage() const;  // where another's is copied to
  absl::Status Enter();
  void OnEvent(const carme::node::v1::Event& event);
  void OnEntered();
  void Fail(int exit_code, const std::string& detail);

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
