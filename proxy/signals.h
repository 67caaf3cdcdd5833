// What the proxy does on signals.
#ifndef CARME_PROXY_SIGNALS_H_
#define CARME_PROXY_SIGNALS_H_

#include "proxy/proxy_server.h"

namespace carme::proxy {

// Blocks SIGTERM, SIGINT and SIGHUP for this thread and those it starts, and
// ignores SIGPIPE. Before the first thread.
void BlockSignals();

// Until SIGTERM or SIGINT. SIGHUP reads the certificates and opens the
// access log again. Meanwhile gives
// memory back that closed connections have left behind.
void ServeUntilStopped(ProxyServer& server);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SIGNALS_H_
