// Accepts connections of browsers on one event loop.
#ifndef CARME_PROXY_DOWNSTREAM_CLIENT_LISTENER_H_
#define CARME_PROXY_DOWNSTREAM_CLIENT_LISTENER_H_

#include <memory>

#include "absl/status/status.h"
#include "common/net/address.h"
#include "common/net/socket.h"
#include "common/net/task.h"
#include "common/net/tls/tls_context.h"
#include "common/unique_fd.h"
#include "proxy/downstream/client_connection.h"
#include "proxy/limits/connection_limiter.h"
#include "proxy/state/loop_state.h"

namespace carme::proxy {

// Not thread-safe: used on the loop's thread, except where noted.
class ClientListener {
 public:
  // `state` must outlive it.
  ClientListener(LoopState& state, std::shared_ptr<const net::TlsContext> tls)
      : state_(state), tls_(std::move(tls)) {}
  ClientListener(const ClientListener&) = delete;
  ClientListener& operator=(const ClientListener&) = delete;

  // Accepts on `fd`, which the loops share. Call it before the loop runs.
  absl::Status Listen(int fd);
  // Closes the listening socket.
  void Close() { listener_.reset(); }
  // For new connections.
  void UseCertificate(std::shared_ptr<const net::TlsContext> tls) {
    tls_ = std::move(tls);
  }
  const ConnectionSet& connections() const { return connections_; }

 private:
  void Accept(UniqueFd fd, const net::Address& peer);
  net::Task<void> Serve(UniqueFd fd, ConnectionSlot slot, net::Address peer);

  LoopState& state_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::unique_ptr<net::Listener> listener_;
  ConnectionSet connections_;
};

// Reads the PROXY header of a load balancer's connection. Sets the key of
// `slot` and `peer` to the client that it names. False: the connection must be
// closed.
net::Task<bool> AcceptProxyProtocol(LoopState& state, UniqueFd* fd,
                                    ConnectionSlot* slot, net::Address* peer);

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_CLIENT_LISTENER_H_
