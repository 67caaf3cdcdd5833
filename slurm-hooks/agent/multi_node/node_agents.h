// Starts carme-node-agent on the other nodes of the job with one srun, sends
// requests to all of them, and receives events from each.
//
//   Start ─► all ready ─► ConfigurePeers ─► all configured ─► …
//
// Thread safety: used on the loop's thread only.
//
// The loss of one node fails the job: `failed` names the node. srun ends with
// this process; the node agents end with srun or with the job.
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
#include "carme/node/v1/node_agent.pb.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {

struct NodeAgentsOptions {
  uint32_t count = 0;      // number of the other nodes
  std::string first_node;  // the node of this process
  // For all nodes to become ready; each may have to read its image once.
  absl::Duration timeout = absl::Minutes(5);
};

class NodeAgents {
 public:
  struct Owner {
    // Called once, when all nodes are ready, with the nodes in rank order.
    std::function<void(const std::vector<node::v1::JobNode>&)> ready;
    // Called when all nodes have applied the last ConfigurePeers.
    std::function<void()> configured;
    // Called with samples of one of the nodes; may be empty.
    std::function<void(const carme::v1::NodeSamples&)> samples;
    std::function<void(const std::string& detail)> failed;  // once
  };

  // `loop` must outlive this. FAILED_PRECONDITION: srun is not configured on
  // this node.
  static absl::StatusOr<std::unique_ptr<NodeAgents>> Start(
      net::EventLoop& loop, const JobFacts& facts, NodeAgentsOptions options,
      const node::v1::EnterEnvironment& enter, Owner owner);
  ~NodeAgents();

  void ConfigurePeers(const node::v1::NodeList& list);
  // Must be called for each SIGCHLD.
  void OnChild();
  // From now on the end of a node agent is not a failure.
  void Expect() { ending_ = true; }

 private:
  NodeAgents(net::EventLoop& loop, NodeAgentsOptions options, Owner owner);
  absl::Status Launch(const JobFacts& facts);
  void Enqueue(const node::v1::NodeAgentRequest& request);
  net::Task<void> Send();
  net::Task<void> ReadEvents();
  net::Task<void> AwaitReady();
  net::Task<void> ReportLoss(int exit_code);
  void OnEvent(const node::v1::NodeAgentEvent& event);
  void OnReady(const node::v1::JobNode& node);
  void OnSamples(const carme::v1::NodeSamples& samples);
  void Fail(const std::string& detail);

  net::EventLoop& loop_;
  const NodeAgentsOptions options_;
  const Owner owner_;
  std::optional<node::ChildProcess> srun_;
  std::unique_ptr<net::Stream> stream_;  // standard input and output of srun
  std::string to_send_;
  bool sending_ = false;
  std::map<uint32_t, node::v1::JobNode> nodes_;  // ready nodes by rank
  std::set<uint32_t> configured_;
  bool ending_ = false;
  bool failed_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_AGENTS_H_
