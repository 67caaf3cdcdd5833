// What a browser would do at a subject, on the loop.
#ifndef CARME_TESTS_BENCH_PROXY_LOAD_CLIENT_H_
#define CARME_TESTS_BENCH_PROXY_LOAD_CLIENT_H_

#include <memory>
#include <string>

#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/tls/tls_context.h"
#include "common/net/tls/tls_stream.h"

namespace carme::bench {

// Where a client connects, and with which identity. A value.
struct Target {
  net::Address address;
  std::string host;    // of TLS and of requests
  std::string cookie;  // carme-proxy's, sent to all alike
  std::shared_ptr<const net::TlsContext> tls;
};

// A request as Chromium sends it for a resource of JupyterLab. `fields`: more
// of them, each with its end of line.
std::string RequestFor(const Target& target, const std::string& path,
                       const std::string& fields = "");
// The one that opens a websocket at /ws.
std::string WebsocketRequestFor(const Target& target);

// An answer whose body was read and dropped.
struct Answer {
  int status = 0;  // 0: the connection ended before the answer did
  size_t body_bytes = 0;
  std::string head;  // kept only where it was asked for, or is no 200
};

// A new connection, TLS included; null when that failed.
net::Task<std::unique_ptr<net::TlsStream>> ConnectTo(net::EventLoop& loop,
                                                     const Target& target);
// Sends it and reads the answer.
net::Task<Answer> Ask(net::Stream& stream, const std::string& request,
                      bool keep_head = false);
// The same on a connection of its own.
net::Task<Answer> AskOnce(net::EventLoop& loop, const Target& target,
                          std::string request);
// `count` bytes. False: there are not so many.
net::Task<bool> ReadBytes(net::Stream& stream, size_t count);

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_LOAD_CLIENT_H_
