// The coordinator's connections: admits workers, and delivers their packets one
// by one.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_NODE_CONNECTIONS_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_NODE_CONNECTIONS_H_

#include <deque>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "carme/node/v1/vet.pb.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/coordination/channel.h"
#include "slurm-hooks/vet/coordination/handshake.h"

namespace carme::vet {

class NodeConnections {
 public:
  // What a node sent; no packet: it was lost.
  struct Event {
    size_t node = 0;
    std::optional<node::v1::VetPacket> packet;
  };

  // `identity` must outlive this. `listener` may be invalid.
  NodeConnections(size_t nodes, const RunIdentity& identity, UniqueFd listener);

  // A connection that needs no admission.
  void Add(Channel channel) { strangers_.emplace_back(std::move(channel)); }

  // The next event; nullopt: `deadline` has passed. A packet with a hello is
  // the first of a node.
  std::optional<Event> Next(absl::Time deadline);
  // Does nothing for a node that is not connected; a failure is an event.
  void Send(size_t node, const node::v1::VetPacket& packet);
  // Without an event.
  void Close(size_t node, std::string_view cause);

  bool is_connected(size_t node) const { return nodes_[node].has_value(); }
  // Why it was lost.
  const std::string& cause(size_t node) const { return causes_[node]; }
  // Where another node reaches this one.
  std::string AddressOf(size_t node, size_t from) const;

 private:
  void Accept();
  void AdvanceAdmissions();
  void AdvanceStrangers();
  void Read(size_t node);
  void Lose(size_t node, const absl::Status& status);
  void Poll(absl::Time deadline);

  const RunIdentity& identity_;
  UniqueFd listener_;
  std::list<Admission> admissions_;
  std::list<Channel> strangers_;  // admitted, before their hello
  std::vector<std::optional<Channel>> nodes_;
  std::vector<std::string> causes_;
  std::deque<Event> events_;
};

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_NODE_CONNECTIONS_H_
