// The other nodes of the job, as the first one's agent has them: one srun that
// starts a carme-peer on each, orders to all of them, events of each.
//
//   Start ─► each is up ─► Tell who they are ─► each has met ─► …
//
// Thread rule: the loop's thread.
//
// 1. One that is gone is the end of all: `failed` names it.
// 2. srun ends with this process, and the peers with srun or their job.
#ifndef CARME_SLURM_HOOKS_AGENT_PEER_SET_H_
#define CARME_SLURM_HOOKS_AGENT_PEER_SET_H_

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
#include "carme/node/v1/peer.pb.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job_facts.h"
#include "slurm-hooks/process/child_process.h"

namespace carme::agent {

struct PeerSetOptions {
  uint32_t count = 0;      // of the other nodes
  std::string first_node;  // which is none of them
  // For how long all of them may take: one may have to read its image once.
  absl::Duration patience = absl::Minutes(5);
};

class PeerSet {
 public:
  struct Owner {
    // All are up, in the order of their ranks; once.
    std::function<void(const std::vector<node::v1::JobNode>&)> up;
    // All have done what Tell said last.
    std::function<void()> met;
    std::function<void(const std::string& detail)> failed;  // once
  };

  // `loop` must outlive this. FAILED_PRECONDITION: the node has no srun.
  static absl::StatusOr<std::unique_ptr<PeerSet>> Start(
      net::EventLoop& loop, const JobFacts& facts, PeerSetOptions options,
      const node::v1::Enter& enter, Owner owner);
  ~PeerSet();

  void Tell(const node::v1::Meet& meet);
  // For SIGCHLD.
  void OnChild();
  // From now on their end is no failure.
  void Expect() { ending_ = true; }

 private:
  PeerSet(net::EventLoop& loop, PeerSetOptions options, Owner owner);
  absl::Status Launch(const JobFacts& facts);
  void Order(const node::v1::PeerOrder& order);
  net::Task<void> Send();
  net::Task<void> Listen();
  net::Task<void> AwaitUp();
  net::Task<void> Bury(int exit_code);
  void OnEvent(const node::v1::PeerEvent& event);
  void OnUp(const node::v1::JobNode& node);
  void Fail(const std::string& detail);

  net::EventLoop& loop_;
  const PeerSetOptions options_;
  const Owner owner_;
  std::optional<node::ChildProcess> srun_;
  std::unique_ptr<net::Stream> stream_;  // srun's standard streams
  std::string to_send_;
  bool sending_ = false;
  std::map<uint32_t, node::v1::JobNode> nodes_;  // that are up, by rank
  std::set<uint32_t> met_;
  bool ending_ = false;
  bool failed_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_PEER_SET_H_
