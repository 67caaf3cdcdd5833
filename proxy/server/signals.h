// Signal handling of the proxy.
#ifndef CARME_PROXY_SERVER_SIGNALS_H_
#define CARME_PROXY_SERVER_SIGNALS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/server/hot_restart.h"
#include "proxy/server/proxy_server.h"

namespace carme::proxy {

// Blocks SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGUSR2 for this thread and
// threads it starts, and ignores SIGPIPE. Call it before the first thread.
void BlockSignals();

// What a new process gets in a hot restart.
struct RestartState {
  ExecImage started;
  std::vector<std::pair<std::string, int>> sockets;
  std::function<void()> prepare;  // called before it starts
};

// kStopped: SIGTERM or SIGINT. kHandedOver: SIGUSR2, and a new process serves
// now; or SIGUSR1: another process, such as one in another container, serves
// with the same sockets and state directory. SIGHUP reloads the certificates
// and the access log. Also checks certificates, clock and memory at intervals.
enum class ServeResult { kStopped, kHandedOver };
ServeResult ServeUntilStopped(ProxyServer& server,
                              const RestartState& restart_state);

// After HandOver(): returns when the last connection has ended, after
// `timeout`, or on SIGTERM or SIGINT.
void ServeUntilIdle(ProxyServer& server, absl::Duration timeout);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_SIGNALS_H_
