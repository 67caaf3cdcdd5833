// What the proxy does on signals.
#ifndef CARME_PROXY_SIGNALS_H_
#define CARME_PROXY_SIGNALS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/proxy_server.h"
#include "proxy/upgrade.h"

namespace carme::proxy {

// Blocks SIGTERM, SIGINT, SIGHUP and SIGUSR2 for this thread and those it
// starts, and ignores SIGPIPE. Before the first thread.
void BlockSignals();

// What a process is given that takes over.
struct Legacy {
  StartedAs started;
  std::vector<std::pair<std::string, int>> sockets;
  std::function<void()> prepare;  // called before it is started
};

// kStopped: SIGTERM or SIGINT came. kHandedOver: SIGUSR2 came and another
// process serves now. SIGHUP reads the certificates and opens the access log
// again. Meanwhile looks after certificates, clock and memory.
enum class Ended { kStopped, kHandedOver };
Ended ServeUntilStopped(ProxyServer& server, const Legacy& legacy);

// After HandOver: until its last connection has ended, `patience` is over, or
// SIGTERM or SIGINT came.
void ServeUntilLeft(ProxyServer& server, absl::Duration patience);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SIGNALS_H_
