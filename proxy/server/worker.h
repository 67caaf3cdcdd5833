// One event loop of the proxy with its listeners.
#ifndef CARME_PROXY_SERVER_WORKER_H_
#define CARME_PROXY_SERVER_WORKER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/net/event_loop.h"
#include "common/net/tls/tls_context.h"
#include "proxy/control/route_table.h"
#include "proxy/downstream/client_listener.h"
#include "proxy/downstream/plain_listener.h"
#include "proxy/state/loop_state.h"

namespace carme::proxy {

// Not thread-safe: used on the loop's thread, except where noted.
class Worker {
 public:
  Worker(SharedState& shared, std::unique_ptr<net::EventLoop> loop,
         const std::string& cookie_key,
         std::shared_ptr<const net::TlsContext> tls,
         const AccessLogFile* access_log)
      : state_(shared, std::move(loop), cookie_key, access_log),
        clients_(state_, std::move(tls)) {}

  // Call these before Run. The workers share the sockets.
  absl::Status Listen(int fd) { return clients_.Listen(fd); }
  absl::Status ListenPlain(int fd, ListenerKind kind, AdminHandler handler);
  absl::Status ListenForAgents(int fd) {
    return state_.reverse_tunnels().Listen(fd);
  }
  LoopState& state() { return state_; }

  // Serves until Stop.
  void Run();

  // Any thread may call these.
  void Apply(std::shared_ptr<const RouteUpdate> update);
  void UseCertificate(std::shared_ptr<const net::TlsContext> tls);
  // Accepts no new connections. Idle connections close now, others after their
  // response.
  void StopAccepting();
  void CloseWebsockets();
  // Closes what is no longer allowed at the current time of the clock.
  void Recheck();
  // Blocks until everything posted to the loop before has run. Run() must be
  // running.
  void WaitForPosted();
  void Stop() { state_.loop().Stop(); }

 private:
  void UseTrustAnchors(const TrustAnchors& trust);

  LoopState state_;
  ClientListener clients_;
  std::vector<std::unique_ptr<PlainListener>> plain_listeners_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_WORKER_H_
