// Runs the content of a job: its environment on all nodes, and the apps in it.
//
//   Open ─► environment entered on every node ─► nodes configured
//        ─► data copied in ─► first app started ─► … ─► results copied out
//
// A batch job has no apps: it runs one program and ends with it. A linked job
// (linked_to) has neither: it is ready when its nodes are in the node list
// of the job that it is linked to.
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_RUNTIME_JOB_RUNTIME_H_
#define CARME_SLURM_HOOKS_AGENT_RUNTIME_JOB_RUNTIME_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/v1/agent.pb.h"
#include "common/clock.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/environment/job_environment.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/agent/multi_node/node_agents.h"
#include "slurm-hooks/agent/multi_node/ssh_setup.h"
#include "slurm-hooks/agent/multi_node/step_server.h"
#include "slurm-hooks/agent/runtime/app_set.h"
#include "slurm-hooks/agent/runtime/batch_run.h"
#include "slurm-hooks/agent/runtime/staging.h"
#include "slurm-hooks/nodes/linked_jobs.h"

namespace carme::agent {

class JobRuntime {
 public:
  using Report =
      std::function<void(const std::string& app, carme::v1::AppState state,
                         const std::string& detail)>;
  // Called once, when the job is done.
  using OnExit = std::function<void(int exit_code, const std::string& detail)>;
  // Called with the nodes of this job, for linked jobs: once all nodes are
  // ready, and after each change.
  using OnNodes = std::function<void(const carme::v1::LinkedJob& job)>;

  // `loop` and `clock` must outlive this.
  JobRuntime(net::EventLoop& loop, const Clock& clock, JobId job,
             JobFacts facts, JobPlan plan, Report report, OnExit on_exit,
             OnNodes on_nodes);
  // Ends the environment and all programs in it.
  ~JobRuntime();

  // Starts the job. Failures are reported through `on_exit`.
  void Open();

  // Replaces the list of jobs whose nodes form one set with those of this job.
  void OnLinkedJobs(const carme::v1::LinkedJobs& linked_jobs);

  // Same as AppSet::Ensure, but first waits for the environment.
  net::Task<absl::StatusOr<std::string>> Ensure(std::string app);

  // Must be called for each SIGCHLD.
  void OnChild();

  // Returns whether a kernel of a notebook server is computing; nullopt if
  // unknown.
  net::Task<std::optional<bool>> IsKernelBusy();
  // Returns whether all processes of the job are on this node, and no linked
  // job works for it.
  bool RunsOnThisNodeOnly() const {
    return node_count_ == 1 && !has_linked_nodes_;
  }

  // Asks the programs to end, and kills them after a few seconds. `on_exit`
  // follows.
  void Stop(int signal);

  // Call shortly before the job's time limit: if results are to be copied out,
  // ends the job now so that there is time to copy them.
  void FinishEarly();

 private:
  absl::Status StartNodes();
  void OnEntered();
  void ProbeNode();
  void OnProbed(uint32_t ssh_port);
  void ConfigureWhenReady();
  void ConfigureNodes();
  node::v1::NodeList BuildNodeConfiguration();
  void ReportOwnNodes() const;
  net::Task<void> AwaitLinkedJobs();
  void OnConfigured();
  absl::Status StartApp(const AppPlan& app, uint64_t id);
  std::string ReadLastLogLine(const std::string& app) const;
  net::Task<void> StartOwnApp();
  net::Task<void> WatchRequiredFiles();
  absl::Status StartBatch(carme::node::v1::StartProgram request, int output,
                          int error);
  void SetUpEnvironment(const AppPlan& app,
                        carme::node::v1::StartProgram* request) const;
  bool IsAnythingRunning() const;
  void Shutdown(int exit_code, const std::string& detail);
  net::Task<void> AwaitEnd(int exit_code, std::string detail);
  net::Task<void> AwaitPrograms();
  net::Task<void> StageOut(int exit_code, std::string detail);
  void End(int exit_code, const std::string& detail);

  net::EventLoop& loop_;
  const Clock& clock_;
  const JobId job_;
  const JobFacts facts_;
  const JobPlan plan_;
  const Report report_;
  const OnExit on_exit_;
  const OnNodes on_nodes_;
  AppSet apps_;
  std::unique_ptr<BatchRun> batch_;  // of a batch job, which has no apps
  LogLimiter logs_;
  Staging staging_;
  bool staged_in_ = false;
  JobEnvironment environment_;
  NodeSshSetup ssh_;
  std::unique_ptr<StepServer> step_server_;
  std::unique_ptr<NodeAgents> node_agents_;
  std::optional<node::v1::JobNode> own_node_;  // set when it is probed
  std::vector<node::v1::JobNode> other_nodes_;
  uint32_t node_count_ = 1;
  node::v1::SshKeys keys_;
  node::OwnNodes own_;  // set when all nodes are ready
  std::optional<carme::v1::LinkedJobs> linked_jobs_;
  bool probe_started_ = false;
  bool configuring_ = false;       // until all nodes have replied
  bool reconfigure_ = false;       // the configuration changed meanwhile
  bool has_linked_nodes_ = false;  // in the current configuration
  bool joined_ = false;            // a linked job reported that it is ready
  bool accepts_apps_ = false;
  bool stopping_ = false;
  bool finish_early_ = false;
  bool exit_reported_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_JOB_RUNTIME_H_
