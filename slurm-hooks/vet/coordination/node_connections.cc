#include "slurm-hooks/vet/coordination/node_connections.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "slurm-hooks/vet/coordination/tcp.h"

namespace carme::vet {
namespace {

// Beyond the nodes: other users can connect as well, and hold a place until the
// time for the handshake is over.
constexpr size_t kSpareAdmissions = 64;

}  // namespace

NodeConnections::NodeConnections(size_t nodes, const RunIdentity& identity,
                                 UniqueFd listener)
    : identity_(identity),
      listener_(std::move(listener)),
      nodes_(nodes),
      causes_(nodes) {}

std::optional<NodeConnections::Event> NodeConnections::Next(
    absl::Time deadline) {
  bool has_polled = false;
  while (events_.empty()) {
    if (has_polled && absl::Now() >= deadline) return std::nullopt;
    Poll(deadline);
    has_polled = true;
  }
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void NodeConnections::Send(size_t node, const node::v1::VetPacket& packet) {
  if (!nodes_[node].has_value()) return;
  const absl::Status status = nodes_[node]->Send(packet);
  if (!status.ok()) Lose(node, status);
}

void NodeConnections::Close(size_t node, std::string_view cause) {
  nodes_[node].reset();
  causes_[node] = cause;
}

std::string NodeConnections::AddressOf(size_t node, size_t from) const {
  const std::string address = PeerAddress(nodes_[node]->fd());
  const bool is_here =
      address.empty() || address == "::1" || address.starts_with("127.");
  // the node of the coordinator has the address that the other one connected to
  return is_here ? LocalAddress(nodes_[from]->fd()) : address;
}

void NodeConnections::Poll(absl::Time deadline) {
  std::vector<pollfd> waiting;
  absl::Time until = deadline;
  if (listener_.valid()) waiting.push_back({listener_.get(), POLLIN, 0});
  for (const Admission& admission : admissions_) {
    waiting.push_back({admission.fd(), POLLIN, 0});
    until = std::min(until, admission.deadline());
  }
  bool has_packets = false;
  for (const Channel& channel : strangers_) {
    waiting.push_back({channel.fd(), POLLIN, 0});
    has_packets = has_packets || channel.has_received();
  }
  const size_t first_node = waiting.size();
  std::vector<size_t> connected;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (!nodes_[node].has_value()) continue;
    connected.push_back(node);
    waiting.push_back({nodes_[node]->fd(), POLLIN, 0});
  }
  const int64_t left =
      has_packets ? 0 : absl::ToInt64Milliseconds(until - absl::Now()) + 1;
  poll(waiting.data(), waiting.size(),
       static_cast<int>(std::clamp<int64_t>(left, 0, 60000)));
  for (size_t i = 0; i < connected.size(); ++i) {
    if (waiting[first_node + i].revents != 0) Read(connected[i]);
  }
  AdvanceStrangers();
  AdvanceAdmissions();
  Accept();
}

void NodeConnections::Accept() {
  while (listener_.valid() &&
         admissions_.size() < nodes_.size() + kSpareAdmissions) {
    UniqueFd fd(accept4(listener_.get(), nullptr, nullptr,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    admissions_.emplace_back(std::move(fd), identity_);
  }
}

void NodeConnections::AdvanceAdmissions() {
  for (auto admission = admissions_.begin(); admission != admissions_.end();) {
    auto channel = admission->Advance();
    const bool is_pending = channel.ok() && !channel->has_value();
    if (is_pending && absl::Now() < admission->deadline()) {
      ++admission;
      continue;
    }
    if (channel.ok() && channel->has_value()) {
      strangers_.push_back(**std::move(channel));
    }
    admission = admissions_.erase(admission);
  }
}

void NodeConnections::AdvanceStrangers() {
  for (auto stranger = strangers_.begin(); stranger != strangers_.end();) {
    const absl::Status received = stranger->Receive();
    const auto packet = stranger->Take();
    if (received.ok() && packet.ok() && !packet->has_value()) {
      ++stranger;
      continue;
    }
    if (packet.ok() && packet->has_value() && (*packet)->has_hello()) {
      const size_t node = (*packet)->hello().rank();
      if (node < nodes_.size() && !nodes_[node].has_value() &&
          causes_[node].empty()) {
        nodes_[node] = std::move(*stranger);
        events_.push_back({node, **packet});
        Read(node);  // what follows was received already
      }
    }
    stranger = strangers_.erase(stranger);
  }
}

void NodeConnections::Read(size_t node) {
  const absl::Status received = nodes_[node]->Receive();
  while (nodes_[node].has_value()) {
    auto packet = nodes_[node]->Take();
    if (!packet.ok()) {
      Lose(node, packet.status());
    } else if (packet->has_value()) {
      events_.push_back({node, **std::move(packet)});
    } else if (!received.ok()) {
      Lose(node, received);
    } else {
      return;
    }
  }
}

void NodeConnections::Lose(size_t node, const absl::Status& status) {
  nodes_[node].reset();
  causes_[node] = std::string(status.message());
  events_.push_back({node, std::nullopt});
}

}  // namespace carme::vet
