// The app behind every subject, and where haproxy sends its log.
//
// The app takes mutual TLS, as carme-agent does: only the proxy's certificate.
// carme-proxy sends its grant first, and that grant is verified; the others
// have no grant and are accepted without.
#ifndef CARME_TESTS_BENCH_PROXY_LOAD_BENCH_APP_H_
#define CARME_TESTS_BENCH_PROXY_LOAD_BENCH_APP_H_

#include <memory>
#include <string>
#include <string_view>

#include "common/crypto/signature.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/tls/tls_context.h"
#include "common/net/tls/tls_stream.h"
#include "common/unique_fd.h"

namespace carme::bench {

// GET /1k, /1m: a body of that size. GET /ws: a websocket that echoes short
// frames. Thread rule: made before the loop runs, then the loop's thread.
class BenchApp {
 public:
  BenchApp(net::EventLoop& loop, std::shared_ptr<const net::TlsContext> tls,
           VerifyingKey grants);
  int port() const { return port_; }

 private:
  net::Task<void> Serve(UniqueFd fd);
  net::Task<bool> Answer(net::Stream& stream, std::string_view head);
  net::Task<void> Echo(net::Stream& stream);
  // Takes the preamble off what was read. False: more is needed. Gives up when
  // the grant is not good.
  bool TakeGrant(std::string* read) const;

  net::EventLoop& loop_;
  const std::shared_ptr<const net::TlsContext> tls_;
  const VerifyingKey grants_;
  const std::string small_, large_head_, large_part_;
  UniqueFd listening_;
  int port_ = 0;
  std::unique_ptr<net::Listener> listener_;
};

// Takes and drops the access log of who writes none to a file by itself.
class LogSink {
 public:
  explicit LogSink(net::EventLoop& loop);
  int port() const { return port_; }

 private:
  net::Task<void> Serve(UniqueFd fd);
  net::EventLoop& loop_;
  UniqueFd listening_;
  int port_ = 0;
  std::unique_ptr<net::Listener> listener_;
};

// Sec-WebSocket-Accept for a key.
std::string AcceptFor(std::string_view key);

inline constexpr size_t kFrameBytes = 100;  // of an echoed message

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_LOAD_BENCH_APP_H_
