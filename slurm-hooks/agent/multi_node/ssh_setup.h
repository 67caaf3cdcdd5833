// Sets up what a node shares with the other nodes of the job: the files that
// list the nodes, and ssh access to the environment on this node.
//
//   Prepare ─► environment entered ─► Probe ─► Configure, again after changes
//
// Thread safety: used on the loop's thread only.
//
// 1. Each connection gets its own sshd inside the environment. This process
//    listens outside, and accepts connections from the job's nodes only.
// 2. At most kMaxUnauthenticated sshd processes serve connections that have not
//    authenticated yet.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_SSH_SETUP_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_SSH_SETUP_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "carme/node/v1/node_agent.pb.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/environment/job_environment.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

class NodeSshSetup {
 public:
  // Receives the port of ssh, or 0 and the reason why there is no ssh.
  using OnProbed =
      std::function<void(uint32_t ssh_port, const std::string& why_not)>;

  static constexpr int kMaxUnauthenticated = 64;

  // All that is passed by reference must outlive this.
  NodeSshSetup(net::EventLoop& loop, JobEnvironment& environment,
               const JobFacts& facts, const EnvironmentPlan& plan, JobId job);
  ~NodeSshSetup();

  // Creates the files, which are also visible at other paths in the
  // environment.
  absl::Status Prepare(const node::v1::SshKeys& keys);

  // Reads the variables of the environment, checks its sshd, and starts to
  // listen. Must be called once.
  void Probe(OnProbed on_probed);

  // Applies a node list, which must contain this node by its name.
  // INVALID_ARGUMENT and errors of open(2).
  absl::Status Configure(const node::v1::NodeList& list);

  // Environment variables for all programs in the environment.
  const Variables& variables() const { return variables_; }
  // Slurm's variables of the job, "NAME=value", without nodes that the job has
  // returned.
  const std::vector<std::string>& job_variables() const {
    return job_variables_;
  }
  std::string programs() const;  // the first directory in PATH

 private:
  absl::Status ReadEnvironment(JobEnvironment::OnEnd on_end);
  absl::Status CheckSshd(JobEnvironment::OnEnd on_end);
  absl::Status WriteSshdConfig() const;
  absl::Status Listen();
  void Accept(UniqueFd connection, const net::Address& peer);
  void MarkAuthenticated(bool* unauthenticated);
  net::Task<void> ExpireUnauthenticated(std::shared_ptr<bool> unauthenticated);
  node::v1::StartProgram NewStartRequest(
      std::vector<std::string> arguments) const;
  void FinishProbe(const std::string& why_not);

  net::EventLoop& loop_;
  JobEnvironment& environment_;
  const JobFacts& facts_;
  const EnvironmentPlan& plan_;
  const JobId job_;
  std::optional<node::v1::SshKeys> keys_;  // the public keys only
  OnProbed on_probed_;
  UniqueFd output_;  // output of the last program run inside
  std::vector<std::string> inner_variables_;  // environment variables inside
  Variables variables_;
  std::vector<std::string> job_variables_;
  std::set<std::string> addresses_;  // IP addresses of the job's nodes
  UniqueFd listening_;
  std::unique_ptr<net::Listener> listener_;
  uint32_t ssh_port_ = 0;
  int unauthenticated_ = 0;
};

// Describes this node; rank and ssh port are not set.
node::v1::JobNode DescribeOwnNode(const JobFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_SSH_SETUP_H_
