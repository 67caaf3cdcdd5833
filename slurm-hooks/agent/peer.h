// One node of a job beside its first: enters the same environment here, shares
// what NodeShare has, and ends with the agent.
//
// Thread rule: one thread; the image's digest is read on another.
#ifndef CARME_SLURM_HOOKS_AGENT_PEER_H_
#define CARME_SLURM_HOOKS_AGENT_PEER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/peer.pb.h"
#include "common/clock.h"
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/job_environment.h"
#include "slurm-hooks/agent/job_facts.h"
#include "slurm-hooks/agent/job_plan.h"
#include "slurm-hooks/agent/node_share.h"
#include "slurm-hooks/agent/step_door.h"
#include "slurm-hooks/process/signal_source.h"

namespace carme::agent {

class Peer : private net::EventSource {
 public:
  // Orders come from standard input, events go to standard output. `clock`
  // must outlive this.
  static absl::StatusOr<std::unique_ptr<Peer>> Create(JobFacts facts,
                                                      uint32_t rank,
                                                      const Clock& clock);
  ~Peer() override;

  // Until the agent is gone, or Slurm or the environment ends it: the exit
  // code. REQUIRES: SIGTERM, SIGINT and SIGCHLD are blocked in every thread.
  int Run();

 private:
  Peer(JobFacts facts, uint32_t rank, const Clock& clock);
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  void OnSignal(int number);
  absl::Status Obey(const node::v1::PeerOrder& order);
  absl::Status Enter(const node::v1::Enter& enter);
  absl::Status Meet(const node::v1::Meet& meet);
  void OnLooked(uint32_t ssh_port);
  void Say(const node::v1::PeerEvent& event);
  void Fail(const std::string& detail);

  JobFacts facts_;
  const uint32_t rank_;
  const Clock& clock_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<node::SignalSource> signals_;
  std::string unread_;
  std::optional<EnvironmentPlan> plan_;
  std::unique_ptr<JobEnvironment> environment_;
  std::unique_ptr<NodeShare> share_;
  std::unique_ptr<StepDoor> steps_;
  int exit_code_ = 0;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_PEER_H_
