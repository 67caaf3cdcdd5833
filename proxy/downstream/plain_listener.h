// Serves HTTP without TLS on one event loop: redirects to https, and metrics.
#ifndef CARME_PROXY_DOWNSTREAM_PLAIN_LISTENER_H_
#define CARME_PROXY_DOWNSTREAM_PLAIN_LISTENER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/monitoring/admin_http.h"
#include "common/net/address.h"
#include "common/net/socket.h"
#include "common/net/task.h"
#include "common/unique_fd.h"
#include "proxy/limits/connection_limiter.h"
#include "proxy/state/loop_state.h"

namespace carme::proxy {

// kPublic: for clients, with their limits and load balancers. kAdmin: for
// monitoring, which must be served when the clients' limits are reached; it has
// a small limit of its own.
enum class ListenerKind { kPublic, kAdmin };

// Not thread-safe: used on the loop's thread, except where noted.
class PlainListener {
 public:
  // Accepts on `fd` and serves one request per connection with `handler`, which
  // is called on the loop. `state` must outlive it. Call it before the loop
  // runs.
  static absl::StatusOr<std::unique_ptr<PlainListener>> Create(
      LoopState& state, int fd, ListenerKind kind, AdminHandler handler);
  PlainListener(const PlainListener&) = delete;
  PlainListener& operator=(const PlainListener&) = delete;

  // Closes the listening socket. Open connections still use this object.
  void Close() { listener_.reset(); }

 private:
  PlainListener(LoopState& state, ListenerKind kind, AdminHandler handler)
      : state_(state), kind_(kind), handler_(std::move(handler)) {}
  void Accept(UniqueFd fd, const net::Address& peer);
  // `slot`: only of public listeners.
  net::Task<void> Serve(UniqueFd fd, ConnectionSlot slot, net::Address peer);

  LoopState& state_;
  const ListenerKind kind_;
  const AdminHandler handler_;
  int connections_ = 0;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_PLAIN_LISTENER_H_
