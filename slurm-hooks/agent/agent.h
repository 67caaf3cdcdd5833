// One agent's life: register, start the app, say when it answers, relay, and
// end with the job.
//
//   Run ─► registering ─► running ─► stopping ─► the app's exit code
//              │ refused      │ the app ends by itself      ▲
//              └──► 1         └─────────────────────────────┘
//
// Thread rule: constructed and run on the main thread, whose loop it is; only
// the link to the backend has another one.
#ifndef CARME_SLURM_HOOKS_AGENT_AGENT_H_
#define CARME_SLURM_HOOKS_AGENT_AGENT_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/net/event_loop.h"
#include "common/pki/certificate_request.h"
#include "slurm-hooks/agent/control/agent_service_client.h"
#include "slurm-hooks/agent/control/registration.h"
#include "slurm-hooks/agent/data_path/data_path.h"
#include "slurm-hooks/agent/environment/image_build.h"
#include "slurm-hooks/agent/job/node_listener.h"
#include "slurm-hooks/agent/runtime/job_runtime.h"
#include "slurm-hooks/agent/usage/activity_monitor.h"
#include "slurm-hooks/process/signal_source.h"

namespace carme::agent {

class Agent {
 public:
  // `clock` must outlive this.
  static absl::StatusOr<std::unique_ptr<Agent>> Create(
      JobFacts facts, KeyAndRequest key, NodeListener listener,
      std::unique_ptr<AgentServiceClient> link, const Clock& clock);

  // Until the job ends; returns the exit code. REQUIRES: SIGTERM, SIGINT and
  // SIGCHLD are blocked in every thread.
  int Run();

 private:
  Agent(JobFacts facts, KeyAndRequest key, NodeListener listener,
        std::unique_ptr<AgentServiceClient> link, const Clock& clock);
  void OnRegistered(absl::StatusOr<carme::v1::RegisterResponse> response);
  absl::Status Begin(const Registration& registration);
  void StartActivityMonitor(const UseConfig& use,
                            const std::vector<std::string>& variables,
                            bool has_gpus);
  void OnImageDone(const absl::StatusOr<ImageFileInfo>& made);
  void OnUpdate(const carme::v1::WatchJobResponse& news);
  void OnSignal(int number);
  // Reports the end and lets Run return.
  void End(int exit_code, std::string detail);

  JobFacts facts_;
  const std::string home_;
  // Lives here, then in the data path, and nowhere else.
  KeyAndRequest key_;
  NodeListener listener_;  // given up where nobody is to come
  const Clock& clock_;
  const absl::Time started_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<node::SignalSource> signals_;
  std::unique_ptr<DataPath> data_path_;
  std::unique_ptr<JobRuntime> runtime_;
  std::unique_ptr<ImageBuild> build_;     // instead of the two above
  std::unique_ptr<ActivityMonitor> use_;  // null: nobody opens anything in it
  bool stopping_ = false;
  std::optional<int> exit_code_;
  // The last member, so the first to go: its thread posts to the loop.
  std::unique_ptr<AgentServiceClient> link_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_AGENT_H_
