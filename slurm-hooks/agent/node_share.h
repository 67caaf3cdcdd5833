// What a node of the job shares with the others: the files that say who they
// are, and the way by ssh into this node's environment.
//
//   Prepare ─► environment entered ─► Look ─► Meet, again when nodes change
//
// Thread rule: the loop's thread.
//
// 1. A connection is served by an sshd of its own, inside the environment; the
//    listening is done out here, and takes only the job's own nodes.
// 2. No more than kMostStrangers sshds are at work for those who have not had
//    the time to prove themselves.
#ifndef CARME_SLURM_HOOKS_AGENT_NODE_SHARE_H_
#define CARME_SLURM_HOOKS_AGENT_NODE_SHARE_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "carme/node/v1/peer.pb.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job_environment.h"
#include "slurm-hooks/agent/job_facts.h"
#include "slurm-hooks/agent/job_plan.h"

namespace carme::agent {

class NodeShare {
 public:
  // Why there is no ssh, or that there is: its port.
  using OnLooked =
      std::function<void(uint32_t ssh_port, const std::string& why_not)>;

  static constexpr int kMostStrangers = 64;

  // All that is passed by reference must outlive this.
  NodeShare(net::EventLoop& loop, JobEnvironment& environment,
            const JobFacts& facts, const EnvironmentPlan& plan, JobId job);
  ~NodeShare();

  // Makes the files, which the environment shows in other places as well.
  absl::Status Prepare(const node::v1::SshKeys& keys);

  // Looks what is inside, and opens the way in. Once.
  void Look(OnLooked looked);

  // `own_rank` counts this job's nodes. INVALID_ARGUMENT and errors of open(2).
  absl::Status Meet(const node::v1::Meet& meet, uint32_t own_rank);

  // For every program in the environment.
  const Variables& variables() const { return variables_; }
  std::string programs() const;  // comes first in PATH

 private:
  absl::Status AskInside(JobEnvironment::OnEnd on_end);
  absl::Status TrySshd(JobEnvironment::OnEnd on_end);
  absl::Status WriteSshdConfig() const;
  absl::Status Listen();
  void Accept(UniqueFd connection, const net::Address& peer);
  void Know(bool* stranger);
  net::Task<void> GrowKnown(std::shared_ptr<bool> stranger);
  node::v1::Start OrderFor(std::vector<std::string> arguments) const;
  void Looked(const std::string& why_not);

  net::EventLoop& loop_;
  JobEnvironment& environment_;
  const JobFacts& facts_;
  const EnvironmentPlan& plan_;
  const JobId job_;
  std::optional<node::v1::SshKeys> keys_;  // the public ones
  OnLooked looked_;
  UniqueFd said_;                    // what a program of ours in there said
  std::vector<std::string> inside_;  // the variables in there
  Variables variables_;
  std::set<std::string> addresses_;  // of the job's nodes
  UniqueFd listening_;
  std::unique_ptr<net::Listener> listener_;
  uint32_t ssh_port_ = 0;
  int strangers_ = 0;
};

// What this node says of itself; without a rank and a port.
node::v1::JobNode OwnNode(const JobFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_NODE_SHARE_H_
