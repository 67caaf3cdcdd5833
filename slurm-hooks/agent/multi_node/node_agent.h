// Runs on each node of a job except the first: enters the same environment
// there, sets up ssh, and ends with the agent.
//
// Thread safety: used on one thread; the digest of the image is computed on
// another.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_AGENT_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_AGENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/node/v1/node_agent.pb.h"
#include "common/clock.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/environment/job_environment.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/agent/multi_node/ssh_setup.h"
#include "slurm-hooks/agent/multi_node/step_server.h"
#include "slurm-hooks/process/signal_source.h"
#include "slurm-hooks/sampler/node_sampler.h"

namespace carme::agent {

class NodeAgent : private net::EventSource {
 public:
  // Reads requests from standard input and writes events to standard output.
  // `clock` must outlive this.
  static absl::StatusOr<std::unique_ptr<NodeAgent>> Create(JobFacts facts,
                                                           uint32_t rank,
                                                           const Clock& clock);
  ~NodeAgent() override;

  // Serves until the agent disconnects, or Slurm or the environment ends it.
  // Returns the exit code. SIGTERM, SIGINT and SIGCHLD must be blocked in all
  // threads.
  int Run();

 private:
  NodeAgent(JobFacts facts, uint32_t rank, const Clock& clock);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  void OnSignal(int number);
  absl::Status Handle(const node::v1::NodeAgentRequest& request);
  absl::Status Enter(const node::v1::EnterEnvironment& enter);
  absl::Status Configure(const node::v1::NodeList& list);
  void OnProbed(uint32_t ssh_port);
  void StartSampling(const node::v1::SamplingPlan& plan,
                     const std::string& own_step);
  net::Task<void> SendSamples(absl::Duration interval);
  net::Task<void> WatchPrograms();
  void Send(const node::v1::NodeAgentEvent& event);
  void Fail(const std::string& detail);

  JobFacts facts_;
  const uint32_t rank_;
  const Clock& clock_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<node::SignalSource> signals_;
  std::string unread_;
  std::optional<EnvironmentPlan> plan_;
  std::unique_ptr<JobEnvironment> environment_;
  std::unique_ptr<NodeSshSetup> ssh_;
  std::unique_ptr<StepServer> step_server_;
  std::unique_ptr<sampler::NodeSampler> metrics_;  // null: nothing is sampled
  bool watches_programs_ = false;
  int exit_code_ = 0;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_AGENT_H_
