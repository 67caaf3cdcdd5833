// Starts Slurm steps for programs inside the environment (their `srun`), and
// lets the tasks of a step join the environment.
//
// Thread safety: used on the loop's thread only.
//
// 1. Only processes of the same user may connect.
// 2. srun gets the variables of the job, never the caller's. The caller's
//    variables go with the task.
// 3. A step ends when the connection that requested it closes.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_STEP_SERVER_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_STEP_SERVER_H_

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/step.pb.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/environment/job_environment.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/agent/multi_node/ssh_setup.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::agent {

class StepServer : private net::EventSource {
 public:
  static constexpr size_t kMaxClients = 256;

  // All that is passed by reference must outlive this.
  static absl::StatusOr<std::unique_ptr<StepServer>> Create(
      net::EventLoop& loop, const JobEnvironment& environment,
      const JobFacts& facts, const EnvironmentPlan& plan,
      const NodeSshSetup& ssh);
  ~StepServer() override;

  // Must be called for each SIGCHLD.
  void OnChild();

 private:
  class Client;

  StepServer(net::EventLoop& loop, const JobEnvironment& environment,
             const JobFacts& facts, const EnvironmentPlan& plan,
             const NodeSshSetup& ssh);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  // Returns false when the connection must be closed.
  bool OnReadable(Client* client);
  absl::StatusOr<node::ChildProcess> Run(const node::v1::RunStep& run,
                                         const node::Packet& packet) const;
  absl::Status ReplyJoin(int connection) const;
  void Remove(Client* client);

  net::EventLoop& loop_;
  const JobEnvironment& environment_;
  const JobFacts& facts_;
  const EnvironmentPlan& plan_;
  const NodeSshSetup& ssh_;
  UniqueFd listener_;
  std::list<std::unique_ptr<Client>> clients_;
};

std::string StepSocketPath(const std::string& directory);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_STEP_SERVER_H_
