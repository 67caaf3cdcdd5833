// Runs the content of a job: its environment on all nodes, and the apps in it.
//
//                                   ┌► FinishingEarly ┐
//   Entering ┬► StagingIn ► Running ┼─────────────────┼► StagingOut ─► Ended
//            │                      └► Stopping ──────┘
//            └► AwaitingLink ─► Linked
//
//   Stop: each state up to Linked ─► Stopping
//   The job is done or has failed: each state ─► Ended; if its data was copied
//   in and there are results to copy, first ─► StagingOut
//
// Entering: the environment is entered on all nodes, and they are configured.
// StagingIn, StagingOut: data is copied to the job's scratch directory, results
// from it. Stopping, FinishingEarly: programs have a few seconds to end.
//
// A batch job has no apps: it runs one program and ends with it. A linked job
// has neither: it is AwaitingLink until its nodes are in the node list of the
// job that it is linked to, and then Linked.
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
#include "common/display_text.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/environment/job_environment.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/agent/metrics/job_metrics.h"
#include "slurm-hooks/agent/multi_node/job_nodes.h"
#include "slurm-hooks/agent/runtime/app_set.h"
#include "slurm-hooks/agent/runtime/batch_run.h"
#include "slurm-hooks/agent/runtime/staging.h"

namespace carme::agent {

class JobRuntime {
 public:
  enum class State {
    kEntering,
    kStagingIn,
    kRunning,
    kAwaitingLink,
    kLinked,
    // From here on the job is ending.
    kStopping,
    kFinishingEarly,
    kStagingOut,
    kEnded,
  };
  // Returns whether a job in `from` may change to `to`.
  static bool IsTransition(State from, State to);

  using Report =
      std::function<void(const std::string& app, carme::v1::AppState state,
                         const DisplayText& detail)>;
  // Called once, when the job is done.
  using OnExit = std::function<void(int exit_code, const DisplayText& detail)>;
  // Called with the nodes of this job, for linked jobs: once all nodes are
  // ready, and after each change.
  using OnNodes = std::function<void(const carme::v1::LinkedJob& job)>;

  // `loop` and `clock` must outlive the object.
  struct Options {
    net::EventLoop& loop;
    const Clock& clock;
    JobId job;
    JobFacts facts;
    JobPlan plan;
    Report report;
    OnExit on_exit;
    OnNodes on_nodes;
    // Gets the nodes that the job can return to Slurm; may be empty.
    std::function<void(const std::vector<std::string>& nodes)> on_returnable{};
    // Gets the output of a batch program and the samples of other nodes. Must
    // outlive the object; null: nothing is sampled.
    JobMetrics* metrics = nullptr;
  };
  explicit JobRuntime(Options options);
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
    return nodes_.count() == 1 && !nodes_.has_linked_nodes();
  }

  // Asks the programs to end, and kills them after a few seconds. `on_exit`
  // follows.
  void Stop(int signal);

  // Call shortly before the job's time limit: if results are to be copied out,
  // ends the job now so that there is time to copy them.
  void FinishEarly();

  State state() const { return state_; }

 private:
  // The only function that changes the state. Returns false, and does nothing,
  // if the transition is not allowed.
  bool TransitionTo(State next);
  bool IsEnding() const { return state_ >= State::kStopping; }
  void OnNodesConfigured();
  net::Task<void> AwaitLinkedJobs();
  absl::Status StartApp(const AppPlan& app, uint64_t id);
  std::string ReadLastLogLine(const std::string& app) const;
  net::Task<void> StartOwnApp();
  net::Task<void> WatchRequiredFiles();
  absl::Status StartBatch(carme::node::v1::StartProgram request, int output,
                          int error);
  void SetUpEnvironment(const AppPlan& app,
                        carme::node::v1::StartProgram* request) const;
  bool IsAnythingRunning() const;
  void Shutdown(State next, int exit_code, const DisplayText& detail);
  net::Task<void> AwaitEnd(int exit_code, DisplayText detail);
  net::Task<void> AwaitPrograms();
  net::Task<void> StageOut(int exit_code, DisplayText detail,
                           DisplayText remark);
  void End(int exit_code, const DisplayText& detail);

  net::EventLoop& loop_;
  const Clock& clock_;
  const JobId job_;
  const JobFacts facts_;
  const JobPlan plan_;
  const Report report_;
  const OnExit on_exit_;
  State state_ = State::kEntering;
  // What to copy when the job ends; null until the data is copied in.
  const std::vector<StagingItem>* results_ = nullptr;
  AppSet apps_;
  std::unique_ptr<BatchRun> batch_;  // of a batch job, which has no apps
  LogLimiter logs_;
  Staging staging_;
  JobEnvironment environment_;
  JobNodes nodes_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_JOB_RUNTIME_H_
