// What the proxy does on signals.
#ifndef CARME_PROXY_SERVER_SIGNALS_H_
#define CARME_PROXY_SERVER_SIGNALS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/server/hot_restart.h"
#include "proxy/server/proxy_server.h"

namespace carme::proxy {

// Blocks SIGTERM, SIGINT, SIGHUP and SIGUSR2 for this thread and those it
// starts, and ignores SIGPIPE. Before the first thread.
void BlockSignals();

// What a process is given that takes over.
struct RestartState {
  ExecImage started;
  std::vector<std::pair<std::string, int>> sockets;
  std::function<void()> prepare;  // called before it is started
};

// kStopped: SIGTERM or SIGINT came. kHandedOver: SIGUSR2 came and another
// process serves now. SIGHUP reads the certificates and opens the access log
// again. Meanwhile looks after certificates, clock and memory.
enum class ServeResult { kStopped, kHandedOver };
ServeResult ServeUntilStopped(ProxyServer& server,
                              const RestartState& restart_state);

// After HandOver: until its last connection has ended, `timeout` is over, or
// SIGTERM or SIGINT came.
void ServeUntilIdle(ProxyServer& server, absl::Duration timeout);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_SIGNALS_H_
