// The nodes of a job: starts the node agents of the other nodes, sets up ssh,
// and gives all nodes the list of the job's nodes and of those of linked jobs.
//
//   Start ─► environment entered on every node (OnEntered; node agents)
//         ─► first configuration ─► configured ◄─► reconfiguring
//
// The list is sent again when the nodes of linked jobs change, and when the job
// has returned nodes to Slurm: ranks then count the nodes that are left.
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_JOB_NODES_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_JOB_NODES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "carme/node/v1/node_agent.pb.h"
#include "carme/v1/agent.pb.h"
#include "common/display_text.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/environment/job_environment.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/agent/multi_node/node_agents.h"
#include "slurm-hooks/agent/multi_node/ssh_setup.h"
#include "slurm-hooks/agent/multi_node/step_server.h"
#include "slurm-hooks/nodes/linked_jobs.h"

namespace carme::agent {

class JobNodes {
 public:
  // All references must outlive the object.
  struct Options {
    net::EventLoop& loop;
    JobEnvironment& environment;  // on this node
    const JobFacts& facts;
    const JobPlan& plan;
    JobId job;
  };
  struct Owner {
    // Called each time when all nodes have the current list.
    std::function<void()> configured;
    // Called with the nodes of this job, for linked jobs: before `configured`
    // is called for the first time, and after each change.
    std::function<void(const carme::v1::LinkedJob& job)> report;
    // Called with samples of another node; empty: nothing is sampled there.
    std::function<void(const carme::v1::NodeSamples& samples)> samples{};
    // Called with the nodes that the job can return to Slurm, when they change;
    // may be empty.
    std::function<void(const std::vector<std::string>& nodes)> returnable{};
    // The nodes cannot be used, or one was lost that the job still has.
    std::function<void(const DisplayText& detail)> failed;
  };

  JobNodes(Options options, Owner owner);

  // Starts the node agents. Call before the environment is opened.
  absl::Status Start();
  // Call once the environment is entered on this node.
  void OnEntered();
  // Replaces the list of jobs whose nodes form one set with those of this job.
  void SetLinkedJobs(const carme::v1::LinkedJobs& linked_jobs);
  // Must be called for each SIGCHLD.
  void OnChild();
  // From now on the end of a node agent is not a failure.
  void Expect();

  // Whether all nodes have been configured once.
  bool is_configured() const {
    return state_ == State::kConfigured || state_ == State::kReconfiguring;
  }
  // Whether the current list contains nodes of linked jobs.
  bool has_linked_nodes() const { return has_linked_nodes_; }
  // Number of nodes that this job has.
  uint32_t count() const { return count_; }
  // Variables and programs of ssh.
  const NodeSshSetup& ssh() const { return ssh_; }

 private:
  enum class State {
    kEntering,            // not all nodes are ready
    kFirstConfiguration,  // the first list is sent
    kConfigured,
    kReconfiguring,  // a further list is sent
  };

  void Probe();
  void OnProbed(uint32_t ssh_port);
  void OnUnused(std::vector<std::string> nodes);
  void OnOtherNodes(const std::vector<node::v1::JobNode>& nodes);
  void ConfigureWhenReady();
  void Configure();
  void OnConfigured();
  node::v1::NodeList BuildList();
  void ReportOwnNodes() const;

  net::EventLoop& loop_;
  JobEnvironment& environment_;
  const JobFacts& facts_;
  const JobPlan& plan_;
  const JobId job_;
  const Owner owner_;
  uint32_t count_;
  State state_ = State::kEntering;
  // The list changed while nodes were being configured.
  bool is_stale_ = false;
  bool has_linked_nodes_ = false;
  bool probe_started_ = false;
  NodeSshSetup ssh_;
  std::unique_ptr<StepServer> step_server_;
  std::unique_ptr<NodeAgents> node_agents_;    // null: a job on one node
  std::optional<node::v1::JobNode> own_node_;  // set when it is probed
  std::vector<node::v1::JobNode> other_nodes_;
  node::v1::SshKeys keys_;
  node::OwnNodes own_;  // set when all nodes are ready
  std::optional<carme::v1::LinkedJobs> linked_jobs_;
};

// Whether the job can return nodes to Slurm at all. Servers of its storage run
// on all of its nodes.
bool CanReturnNodes(const JobFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_JOB_NODES_H_
