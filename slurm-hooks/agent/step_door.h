// Where programs within the environment ask for a step of the job, as srun, and
// where the tasks of a step ask for the way in.
//
// Thread rule: the loop's thread.
//
// 1. Only processes of this user are heard.
// 2. srun gets the job's own variables, never the caller's: those go with the
//    task.
// 3. A step ends with the connection that asked for it.
#ifndef CARME_SLURM_HOOKS_AGENT_STEP_DOOR_H_
#define CARME_SLURM_HOOKS_AGENT_STEP_DOOR_H_

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/step.pb.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job_environment.h"
#include "slurm-hooks/agent/job_facts.h"
#include "slurm-hooks/agent/job_plan.h"
#include "slurm-hooks/agent/node_share.h"
#include "slurm-hooks/process/child_process.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::agent {

class StepDoor : private net::EventSource {
 public:
  static constexpr size_t kMostCallers = 256;

  // All that is passed by reference must outlive this.
  static absl::StatusOr<std::unique_ptr<StepDoor>> Create(
      net::EventLoop& loop, const JobEnvironment& environment,
      const JobFacts& facts, const EnvironmentPlan& plan,
      const NodeShare& share);
  ~StepDoor() override;

  // For SIGCHLD.
  void OnChild();

 private:
  class Caller;

  StepDoor(net::EventLoop& loop, const JobEnvironment& environment,
           const JobFacts& facts, const EnvironmentPlan& plan,
           const NodeShare& share);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  // False: the caller is done with.
  bool Hear(Caller* caller);
  absl::StatusOr<node::ChildProcess> Run(const node::v1::RunStep& run,
                                         const node::Packet& packet) const;
  absl::Status ShowWay(int connection) const;
  void Remove(Caller* caller);

  net::EventLoop& loop_;
  const JobEnvironment& environment_;
  const JobFacts& facts_;
  const EnvironmentPlan& plan_;
  const NodeShare& share_;
  UniqueFd listener_;
  std::list<std::unique_ptr<Caller>> callers_;
};

std::string StepSocketPath(const std::string& directory);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_STEP_DOOR_H_
