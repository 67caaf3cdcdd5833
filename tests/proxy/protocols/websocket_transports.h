// Connects to an app's websocket directly, and through the proxy with both
// versions of HTTP.
#ifndef CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_TRANSPORTS_H_
#define CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_TRANSPORTS_H_

#include <memory>
#include <string>

#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {

enum class Way { kStraight, kHttp1, kHttp2 };

// An open websocket. Waits no longer than kWaitTimeout for anything.
class Websocket {
 public:
  virtual ~Websocket() = default;
  // False: the peer has closed.
  virtual bool Send(const std::string& bytes) = 0;
  // At least one byte; empty at the end.
  virtual std::string Read() = 0;
  // Sec-WebSocket-Extensions of the response.
  const std::string& extensions() const { return extensions_; }

 protected:
  std::string extensions_;
};

// Null: rejected. `extensions`: the offer.
std::unique_ptr<Websocket> OpenWebsocket(Way way, ProxyFixture& fixture,
                                         int app_port,
                                         const std::string& extensions);

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_TRANSPORTS_H_
