// What runs in a job: its environment, and the apps in it.
//
//   Open ─► environment entered, on every node ─► who the nodes are is known
//        ─► data copied in ─► the job's own app ─► … ─► results copied out
//
// A batch job has no apps either: it runs what it is for, once, and ends with
// it. A companion has no apps: it is ready when its nodes are in the list of
// the job that it joined.
//
// Thread rule: the loop's thread.
#ifndef CARME_SLURM_HOOKS_AGENT_WORKPLACE_H_
#define CARME_SLURM_HOOKS_AGENT_WORKPLACE_H_

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
#include "slurm-hooks/agent/app_set.h"
#include "slurm-hooks/agent/batch_run.h"
#include "slurm-hooks/agent/job_environment.h"
#include "slurm-hooks/agent/job_facts.h"
#include "slurm-hooks/agent/job_plan.h"
#include "slurm-hooks/agent/log_keeper.h"
#include "slurm-hooks/agent/node_share.h"
#include "slurm-hooks/agent/peer_set.h"
#include "slurm-hooks/agent/staging.h"
#include "slurm-hooks/agent/step_door.h"
#include "slurm-hooks/nodes/family.h"

namespace carme::agent {

class Workplace {
 public:
  using Report =
      std::function<void(const std::string& app, carme::v1::AppState state,
                         const std::string& detail)>;
  // The job's work is over; once.
  using Over = std::function<void(int exit_code, const std::string& detail)>;

  // What the job's nodes are to its companions', once all are there, and again
  // when it is another.
  using Member = std::function<void(const carme::v1::JobMember& member)>;

  // `loop` and `clock` must outlive this. What fails from here on is said by
  // `over`.
  Workplace(net::EventLoop& loop, const Clock& clock, JobId job, JobFacts facts,
            JobPlan plan, Report report, Over over, Member member);
  // Ends the environment and whatever runs in it.
  ~Workplace();

  void Open();

  // Whose nodes are one set with this job's from now on.
  void OnFamily(const carme::v1::JobFamily& family);

  // As AppSet::Ensure; waits until the environment is entered.
  net::Task<absl::StatusOr<std::string>> Ensure(std::string app);

  // For SIGCHLD.
  void OnChild();

  // Whether a notebook's kernel computes; nothing: it cannot be told.
  net::Task<std::optional<bool>> KernelIsBusy();
  // Whether all of the job's processes are on this node, and none of another
  // job's works for it.
  bool IsOnThisNodeAlone() const { return node_count_ == 1 && !with_others_; }

  // Tells the apps to end, and all that is left after a few seconds; `over`
  // follows.
  void Stop(int signal);

  // The walltime is nearly over. Where results are to be copied back, ends the
  // job now, as if by itself, so that there is time for it.
  void FinishEarly();

 private:
  absl::Status OpenNodes();
  void OnEntered();
  void Look();
  void OnLooked(uint32_t ssh_port);
  void MeetWhenUp();
  void Meet();
  node::v1::Meet AllNodes();
  void TellMember() const;
  net::Task<void> AwaitFamily();
  void OnMet();
  absl::Status StartApp(const AppPlan& app, uint64_t id);
  std::string LastLine(const std::string& app) const;
  net::Task<void> StartOwnApp();
  net::Task<void> WatchRequiredFiles();
  absl::Status StartBatch(carme::node::v1::Start order, int output, int error);
  void Furnish(const AppPlan& app, carme::node::v1::Start* order) const;
  bool AnyRuns() const;
  void Leave(int exit_code, const std::string& detail);
  net::Task<void> AwaitEnd(int exit_code, std::string detail);
  net::Task<void> AwaitApps();
  net::Task<void> StageOut(int exit_code, std::string detail);
  void End(int exit_code, const std::string& detail);

  net::EventLoop& loop_;
  const Clock& clock_;
  const JobId job_;
  const JobFacts facts_;
  const JobPlan plan_;
  const Report report_;
  const Over over_;
  const Member member_;
  AppSet apps_;
  std::unique_ptr<BatchRun> batch_;  // instead of apps
  LogKeeper logs_;
  Staging staging_;
  bool staged_in_ = false;
  JobEnvironment environment_;
  NodeShare share_;
  std::unique_ptr<StepDoor> steps_;
  std::unique_ptr<PeerSet> peers_;
  std::optional<node::v1::JobNode> own_node_;  // once it is known
  std::vector<node::v1::JobNode> other_nodes_;
  uint32_t node_count_ = 1;
  node::v1::SshKeys keys_;
  node::OwnNodes own_;  // once all are up
  std::optional<carme::v1::JobFamily> family_;
  bool looking_ = false;      // or it has looked
  bool meeting_ = false;      // until all nodes have done it
  bool met_old_ = false;      // what they do is not the newest any more
  bool with_others_ = false;  // what they know
  bool joined_ = false;       // a companion, and it said so
  bool open_ = false;         // for apps
  bool stopping_ = false;
  bool early_ = false;  // before the walltime's end
  bool over_said_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_WORKPLACE_H_
