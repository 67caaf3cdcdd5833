// The agent of one job: registers with the backend, starts the app, accepts
// connections of the proxy, and ends with the job.
//
//     Run ─► registering ─► vetting ─► running ─► stopping ─► exit code
//              │ refused      │ too few   │ the app ends by itself  ▲
//              └──► 1         └──► 1      └─────────────────────────┘
//
// Vetting: only if the job asks for it.
//
// Thread safety: created and run on the main thread, which runs its loop. Only
// the connection to the backend uses other threads.
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
#include "common/display_text.h"
#include "common/net/event_loop.h"
#include "common/pki/certificate_request.h"
#include "slurm-hooks/agent/control/agent_service_client.h"
#include "slurm-hooks/agent/control/registration.h"
#include "slurm-hooks/agent/data_path/data_path.h"
#include "slurm-hooks/agent/environment/image_build.h"
#include "slurm-hooks/agent/job/node_listener.h"
#include "slurm-hooks/agent/metrics/job_metrics.h"
#include "slurm-hooks/agent/multi_node/node_vetting.h"
#include "slurm-hooks/agent/runtime/job_runtime.h"
#include "slurm-hooks/agent/usage/activity_monitor.h"
#include "slurm-hooks/process/signal_source.h"
#include "slurm-hooks/sampler/gpu_metric_source.h"

namespace carme::agent {

class Agent {
 public:
  // `clock` must outlive this.
  static absl::StatusOr<std::unique_ptr<Agent>> Create(
      JobFacts facts, KeyAndRequest key, NodeListener listener,
      std::unique_ptr<AgentServiceClient> client, const Clock& clock);

  // Runs until the job ends and returns the exit code. SIGTERM, SIGINT and
  // SIGCHLD must be blocked in all threads.
  int Run();

 private:
  Agent(JobFacts facts, KeyAndRequest key, NodeListener listener,
        std::unique_ptr<AgentServiceClient> client, const Clock& clock);
  void OnRegistered(absl::StatusOr<carme::v1::RegisterResponse> response);
  // Vets the nodes, then begins.
  absl::Status StartVetting(const Registration& registration);
  void OnVetted(const Registration& registration,
                const absl::StatusOr<VettedNodes>& nodes);
  void EndUnless(const absl::Status& begun);
  absl::Status Begin(const Registration& registration);
  void StartMetrics(const Registration& registration);
  void StartActivityMonitor(const UseConfig& use,
                            const std::vector<std::string>& variables,
                            bool has_gpus);
  void OnImageDone(const absl::StatusOr<ImageFileInfo>& made);
  void Follow();
  void OnUpdate(const carme::v1::WatchJobResponse& update);
  void OnSignal(int number);
  // Reports the end of the job and makes Run return.
  void End(int exit_code, DisplayText detail);

  JobFacts facts_;
  const std::string home_;
  // Kept here, then in the data path and the connection to carme-metrics, and
  // nowhere else.
  KeyAndRequest key_;
  NodeListener listener_;  // closed if nothing may connect
  const Clock& clock_;
  const absl::Time started_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<node::SignalSource> signals_;
  std::unique_ptr<DataPath> data_path_;
  // Of the job's GPUs on this node; null: they are not sampled.
  std::shared_ptr<sampler::GpuUtilizationPeak> gpu_peak_;
  std::unique_ptr<NodeVetting> vetting_;  // null: nodes are not vetted now
  std::unique_ptr<JobMetrics> metrics_;   // null: nothing is sampled
  std::unique_ptr<JobRuntime> runtime_;
  std::unique_ptr<ImageBuild> build_;     // set instead of the two above
  std::unique_ptr<ActivityMonitor> use_;  // null: the job has no app to open
  bool stopping_ = false;
  std::optional<int> exit_code_;
  // The last member, so it is destroyed first: its threads post to the loop.
  std::unique_ptr<AgentServiceClient> client_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_AGENT_H_
