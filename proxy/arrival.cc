// The part of Worker that lets connections in.
#include <utility>

#include "common/log.h"
#include "common/net/tls_stream.h"
#include "common/status.h"
#include "proxy/client_connection.h"
#include "proxy/proxy_header_reader.h"
#include "proxy/worker.h"

namespace carme::proxy {
namespace {

constexpr int kMostOfTheHouse = 16;  // connections at once, a loop

}  // namespace

absl::Status Worker::Listen(int fd) {
  ASSIGN_OR_RETURN(
      listener_,
      net::Listener::Create(*loop_, fd,
                            [this](UniqueFd socket, const net::Address& peer) {
                              Accept(std::move(socket), peer);
                            }));
  return absl::OkStatus();
}

void Worker::Accept(UniqueFd fd, const net::Address& peer) {
  counters_.connections.Add();
  if (!services_.memory.LetsIn()) {
    counters_.Of(Limit::kMemory).Add();
    return;
  }
  // All of a load balancer's clients come from its address.
  const bool balancer = services_.balancer_networks.Contains(peer);
  std::string place = balancer ? "" : Admission::PlaceOf(peer);
  if (!services_.admission.Enter(place)) {
    const bool full =
        services_.admission.count() >= services_.limits.most_connections;
    counters_.Of(full ? Limit::kConnections : Limit::kPerAddress).Add();
    LogDebug("connection over the limit", {{"client", peer.Ip()}});
    return;
  }
  loop_->Spawn(Serve(std::move(fd), std::move(place), peer));
}

net::Task<void> Worker::Serve(UniqueFd fd, std::string place,
                              net::Address peer) {
  bool good = true;
  if (place.empty() && services_.load_balancers.proxy_protocol) {
    good = co_await MeetClient(&fd, &place, &peer);
  }
  if (good) {
    absl::StatusOr<std::unique_ptr<net::TlsStream>> stream =
        net::TlsStream::Create(*loop_, std::move(fd), tls_);
    if (stream.ok()) {
      ClientConnection connection(*this, *std::move(stream), peer.Ip());
      co_await connection.Serve();
    }
  }
  services_.admission.Leave(place);
}

net::Task<bool> Worker::MeetClient(UniqueFd* fd, std::string* place,
                                   net::Address* peer) {
  absl::StatusOr<std::optional<net::Address>> client =
      co_await ReadProxyHeader(*loop_, fd, services_.limits.handshake_timeout);
  if (!client.ok()) {
    if (absl::IsInvalidArgument(client.status())) {
      counters_.bad_proxy_headers.Add();
    }
    LogDebug("load balancer not understood",
             {{"from", peer->Ip()}, {"why", client.status().ToString()}});
    co_return false;
  }
  if (!client->has_value()) co_return true;
  std::string real = Admission::PlaceOf(**client);
  if (!services_.admission.Settle(real)) {
    counters_.Of(Limit::kPerAddress).Add();
    LogDebug("connection over the limit", {{"client", (*client)->Ip()}});
    co_return false;
  }
  *place = std::move(real);
  *peer = **client;
  co_return true;
}

absl::Status Worker::ListenPlain(int fd, Guest guest, OneAnswer answer) {
  auto plain = std::make_unique<Plain>();
  plain->answer = std::move(answer);
  plain->guest = guest;
  Plain* raw = plain.get();
  ASSIGN_OR_RETURN(
      plain->listener,
      net::Listener::Create(
          *loop_, fd, [this, raw](UniqueFd socket, const net::Address& peer) {
            AcceptPlain(raw, std::move(socket), peer);
          }));
  plain_.push_back(std::move(plain));
  return absl::OkStatus();
}

void Worker::AcceptPlain(Plain* plain, UniqueFd fd, const net::Address& peer) {
  std::string place;
  if (plain->guest == Guest::kHouse) {
    // Not among the clients: who watches must be heard when there are too many
    // of them.
    if (plain->running >= kMostOfTheHouse) return;
  } else {
    if (!services_.balancer_networks.Contains(peer)) {
      place = Admission::PlaceOf(peer);
    }
    if (!services_.admission.Enter(place)) {
      counters_.Of(Limit::kPerAddress).Add();
      return;
    }
  }
  loop_->Spawn(ServePlain(plain, std::move(fd), std::move(place), peer));
}

net::Task<void> Worker::ServePlain(Plain* plain, UniqueFd fd, std::string place,
                                   net::Address peer) {
  ++plain->running;
  bool good = true;
  const bool client = plain->guest == Guest::kClient;
  if (client && place.empty() && services_.load_balancers.proxy_protocol) {
    good = co_await MeetClient(&fd, &place, &peer);
  }
  if (good) {
    co_await AnswerOnce(*loop_, std::move(fd), services_.limits.head_timeout,
                        plain->answer);
  }
  --plain->running;
  if (client) services_.admission.Leave(place);
}

}  // namespace carme::proxy
