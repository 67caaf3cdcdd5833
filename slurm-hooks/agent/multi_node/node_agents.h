// Starts carme-node-agent on the other nodes of the job with one srun, sends
// requests to all of them, and receives events from each.
//
//   Start ─► all ready ─► ConfigurePeers ─► all configured ─► …
//
// When a node agent ends, Slurm is asked whether the job still has the node:
//
//   ended ─► Slurm asked ─┬► returned to Slurm ─► `returned`, `ready`
//                         └► still the job's, or Slurm silent ─► `failed`
//
// Thread safety: used on the loop's thread only.
//
// 1. The loss of one node that the job still has fails the job: `failed` names
//    the node.
// 2. srun ends with this process; the node agents end with srun or with the
//    job. The end of one task does not end the step.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_AGENTS_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_AGENTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/node/v1/node_agent.pb.h"
#include "common/display_text.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {

struct NodeAgentsOptions {
  std::string first_node;  // the node of this process
  // For all nodes to become ready; each may have to read its image once.
  absl::Duration timeout = absl::Minutes(5);
  // For Slurm's answer whether a node is still the job's.
  absl::Duration slurm_timeout = absl::Minutes(5);
};

class NodeAgents {
 public:
  struct Owner {
    // Called when all nodes are ready, with the nodes in rank order, and again
    // with those that are left after each `returned`.
    std::function<void(const std::vector<node::v1::JobNode>&)> ready;
    // Called when all nodes have applied the last ConfigurePeers.
    std::function<void()> configured;
    // Called when the job has returned nodes to Slurm; count() is smaller.
    std::function<void()> returned;
    // Called with samples of one of the nodes; may be empty.
    std::function<void(const carme::v1::NodeSamples&)> samples;
    // Called with the nodes on which no program of the job runs, when they
    // change; may be empty.
    std::function<void(const std::vector<std::string>&)> unused{};
    std::function<void(const DisplayText& detail)> failed;  // once
  };

  // `loop` and `facts` must outlive this. FAILED_PRECONDITION: srun is not
  // configured on this node, or Slurm's list of the job's nodes is malformed.
  static absl::StatusOr<std::unique_ptr<NodeAgents>> Start(
      net::EventLoop& loop, const JobFacts& facts, NodeAgentsOptions options,
      const node::v1::EnterEnvironment& enter, Owner owner);
  ~NodeAgents();

  // Number of the other nodes that the job has.
  uint32_t count() const { return static_cast<uint32_t>(names_.size()); }
  void ConfigurePeers(const node::v1::NodeList& list);
  // Must be called for each SIGCHLD.
  void OnChild();
  // From now on the end of a node agent is not a failure.
  void Expect() { ending_ = true; }

 private:
  NodeAgents(net::EventLoop& loop, const JobFacts& facts,
             NodeAgentsOptions options, Owner owner);
  // Starts srun, and sends it the first request.
  absl::Status Launch();
  void Enqueue(const node::v1::NodeAgentRequest& request);
  net::Task<void> Send(std::shared_ptr<net::Stream> stream);
  net::Task<void> ReadEvents(std::shared_ptr<net::Stream> stream);
  net::Task<void> ReadErrors(std::shared_ptr<net::Stream> stream);
  net::Task<void> AwaitReady();
  void OnEvent(const node::v1::NodeAgentEvent& event);
  void OnReady(const node::v1::JobNode& node);
  void OnFailed(const node::v1::NodeFailed& failed);
  void OnSamples(const carme::v1::NodeSamples& samples);
  void OnUse(const node::v1::NodeUse& use);
  // `cause` is empty if the log of the job has it.
  void OnEnded(const std::string& node, const DisplayText& cause);
  net::Task<void> AskSlurm();
  // Decides about the nodes in `asked`; `nodes` are those of the job.
  void OnAllocation(const std::vector<std::string>& asked,
                    const std::vector<std::string>& nodes);
  void Return(const std::vector<std::string>& nodes);
  void CheckReady();
  void CheckConfigured();
  DisplayText CauseOf(const std::string& node) const;
  void Fail(const DisplayText& detail);

  net::EventLoop& loop_;
  const JobFacts& facts_;
  const NodeAgentsOptions options_;
  const Owner owner_;
  node::v1::NodeAgentRequest enter_;
  std::optional<node::ChildProcess> srun_;
  int srun_exit_code_ = 0;  // once it has ended
  bool srun_ended_ = false;
  std::shared_ptr<net::Stream> stream_;  // standard streams of srun, but errors
  std::string to_send_;
  bool sending_ = false;
  std::set<std::string> names_;  // of the other nodes that the job has
  uint32_t max_rank_ = 0;
  std::map<uint32_t, node::v1::JobNode> nodes_;  // ready nodes by rank
  // Ranks of the nodes that have the current list; nullopt: none is being sent.
  std::optional<std::set<uint32_t>> configured_;
  // Nodes whose node agent has ended, with the cause, until it is known whether
  // the job still has them.
  std::map<std::string, DisplayText> ended_;
  std::set<std::string> unused_;  // nodes without a program of the job
  std::map<std::string, std::string> srun_lines_;  // about the task of a node
  bool asking_ = false;
  bool ending_ = false;
  bool failed_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_AGENTS_H_
