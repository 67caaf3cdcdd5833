#include "proxy/downstream/client_listener.h"

#include <optional>
#include <utility>

#include "common/log.h"
#include "common/net/tls/tls_stream.h"
#include "common/status.h"
#include "proxy/downstream/proxy_protocol.h"

namespace carme::proxy {

absl::Status ClientListener::Listen(int fd) {
  ASSIGN_OR_RETURN(
      listener_,
      net::Listener::Create(state_.loop(), fd,
                            [this](UniqueFd socket, const net::Address& peer) {
                              Accept(std::move(socket), peer);
                            }));
  return absl::OkStatus();
}

void ClientListener::Accept(UniqueFd fd, const net::Address& peer) {
  SharedState& shared = state_.shared();
  Counters& counters = state_.counters();
  counters.connections.Add();
  if (!shared.overload.AllowNewConnection()) {
    counters.Of(Limit::kMemory).Add();
    return;
  }
  // All clients behind a load balancer have its address.
  const bool balancer = shared.balancer_networks.Contains(peer);
  ConnectionSlot slot = balancer
                            ? shared.connections.TryAcquire()
                            : shared.connections.TryAcquire(ClientKeyOf(peer));
  if (!slot.acquired()) {
    const bool full = slot.limit_reached() == LimitReached::kTotal;
    counters.Of(full ? Limit::kConnections : Limit::kPerAddress).Add();
    LogDebug("connection limit reached", {{"client", peer.Ip()}});
    return;
  }
  state_.loop().Spawn(Serve(std::move(fd), std::move(slot), peer));
}

net::Task<void> ClientListener::Serve(UniqueFd fd, ConnectionSlot slot,
                                      net::Address peer) {
  SharedState& shared = state_.shared();
  bool good = true;
  if (!slot.has_key() && shared.load_balancers.proxy_protocol) {
    good = co_await AcceptProxyProtocol(state_, &fd, &slot, &peer);
  }
  if (good) {
    absl::StatusOr<std::unique_ptr<net::TlsStream>> stream =
        net::TlsStream::Create(state_.loop(), std::move(fd), tls_);
    if (stream.ok()) {
      ClientConnection connection(state_, connections_, *std::move(stream),
                                  peer.Ip());
      co_await connection.Serve();
    }
  }
  slot.Release();
}

net::Task<bool> AcceptProxyProtocol(LoopState& state, UniqueFd* fd,
                                    ConnectionSlot* slot, net::Address* peer) {
  SharedState& shared = state.shared();
  absl::StatusOr<std::optional<net::Address>> client = co_await ReadProxyHeader(
      state.loop(), fd, shared.limits.handshake_timeout);
  if (!client.ok()) {
    if (absl::IsInvalidArgument(client.status())) {
      state.counters().bad_proxy_headers.Add();
    }
    LogDebug("invalid PROXY header from load balancer",
             {{"from", peer->Ip()}, {"error", client.status().ToString()}});
    co_return false;
  }
  if (!client->has_value()) co_return true;
  if (!slot->SetKey(ClientKeyOf(**client))) {
    state.counters().Of(Limit::kPerAddress).Add();
    LogDebug("connection limit reached", {{"client", (*client)->Ip()}});
    co_return false;
  }
  *peer = **client;
  co_return true;
}

}  // namespace carme::proxy
