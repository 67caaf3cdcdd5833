#include "slurm-hooks/agent/environment/init_link.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::agent {
namespace {

using carme::node::Packet;
using carme::node::ReceivePacket;
using carme::node::SendPacket;

// Returns the process at the other end; 0 if it belongs to another user.
pid_t OwnProcess(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known =
      getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known && peer.uid == getuid() ? peer.pid : 0;
}

}  // namespace

InitLink::InitLink(net::EventLoop& loop, UniqueFd listener, OnEvent on_event,
                   OnGone on_gone)
    : loop_(loop),
      listener_(std::move(listener)),
      on_event_(std::move(on_event)),
      on_gone_(std::move(on_gone)) {}

int InitLink::Watched() const {
  return connection_.valid() ? connection_.get() : listener_.get();
}

InitLink::~InitLink() { loop_.Remove(Watched(), this); }

absl::StatusOr<std::unique_ptr<InitLink>> InitLink::Listen(
    net::EventLoop& loop, const std::string& path, OnEvent on_event,
    OnGone on_gone) {
  ASSIGN_OR_RETURN(UniqueFd listener, node::ListenForPackets(path));
  std::unique_ptr<InitLink> link(new InitLink(
      loop, std::move(listener), std::move(on_event), std::move(on_gone)));
  // Level-triggered: one packet is read per event.
  RETURN_IF_ERROR(loop.Add(link->listener_.get(), EPOLLIN, link.get()));
  return link;
}

void InitLink::OnEvents(uint32_t) {
  if (connection_.valid()) return Receive();
  Accept();
}

void InitLink::Accept() {
  UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.valid()) return;
  const pid_t pid = OwnProcess(connection.get());
  if (pid <= 0) return;
  // A source is registered with the loop at most once.
  loop_.Remove(listener_.get(), this);
  listener_.reset();
  const absl::Status watched = loop_.Add(connection.get(), EPOLLIN, this);
  if (!watched.ok()) {
    LogError("cannot read from carme-init", {{"error", watched.ToString()}});
    return on_gone_();
  }
  connection_ = std::move(connection);
  pid_ = pid;
}

void InitLink::Receive() {
  const absl::StatusOr<std::optional<Packet>> packet =
      ReceivePacket(connection_.get());
  carme::node::v1::InitEvent event;
  if (!packet.ok() || !packet->has_value() ||
      !event.ParseFromString((*packet)->bytes)) {
    return HangUp();
  }
  on_event_(event);
}

void InitLink::HangUp() {
  loop_.Remove(connection_.get(), this);
  connection_.reset();
  on_gone_();
}

absl::Status InitLink::Start(carme::node::v1::StartProgram request, int input,
                             int output, int error) {
  carme::node::v1::InitRequest message;
  *message.mutable_start() = std::move(request);
  std::vector<int> descriptors = {output, error};
  if (input >= 0) descriptors.push_back(input);
  return SendPacket(connection_.get(), message.SerializeAsString(),
                    descriptors);
}

absl::Status InitLink::Signal(uint64_t id, int number) {
  carme::node::v1::InitRequest message;
  message.mutable_signal()->set_id(id);
  message.mutable_signal()->set_number(number);
  return SendPacket(connection_.get(), message.SerializeAsString(), {});
}

}  // namespace carme::agent
