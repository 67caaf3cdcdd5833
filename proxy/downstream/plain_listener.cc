#include "proxy/downstream/plain_listener.h"

#include <utility>

#include "common/status.h"
#include "proxy/downstream/client_listener.h"

namespace carme::proxy {
namespace {

constexpr int kMaxAdminConnections = 16;  // at once on one loop

}  // namespace

absl::StatusOr<std::unique_ptr<PlainListener>> PlainListener::Create(
    LoopState& state, int fd, ListenerKind kind, AdminHandler handler) {
  std::unique_ptr<PlainListener> listener(
      new PlainListener(state, kind, std::move(handler)));
  PlainListener* raw = listener.get();
  ASSIGN_OR_RETURN(
      listener->listener_,
      net::Listener::Create(state.loop(), fd,
                            [raw](UniqueFd socket, const net::Address& peer) {
                              raw->Accept(std::move(socket), peer);
                            }));
  return listener;
}

void PlainListener::Accept(UniqueFd fd, const net::Address& peer) {
  SharedState& shared = state_.shared();
  ConnectionSlot slot;
  if (kind_ == ListenerKind::kAdmin) {
    if (connections_ >= kMaxAdminConnections) return;
  } else {
    slot = shared.balancer_networks.Contains(peer)
               ? shared.connections.TryAcquire()
               : shared.connections.TryAcquire(ClientKeyOf(peer));
    if (!slot.acquired()) {
      state_.counters().Of(Limit::kPerAddress).Add();
      return;
    }
  }
  state_.loop().Spawn(Serve(std::move(fd), std::move(slot), peer));
}

net::Task<void> PlainListener::Serve(UniqueFd fd, ConnectionSlot slot,
                                     net::Address peer) {
  SharedState& shared = state_.shared();
  ++connections_;
  bool good = true;
  const bool is_public = kind_ == ListenerKind::kPublic;
  if (is_public && !slot.has_key() && shared.load_balancers.proxy_protocol) {
    good = co_await AcceptProxyProtocol(state_, &fd, &slot, &peer);
  }
  if (good) {
    co_await ServeOneRequest(state_.loop(), std::move(fd),
                             shared.limits.request_header_timeout, handler_);
  }
  --connections_;
  slot.Release();
}

}  // namespace carme::proxy
