// Many websockets with traffic, and an app for them, with one thread for each
// side.
#ifndef CARME_TESTS_PROXY_SURVIVAL_WEBSOCKET_LOAD_H_
#define CARME_TESTS_PROXY_SURVIVAL_WEBSOCKET_LOAD_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/tls/tls_context.h"
#include "common/unique_fd.h"

namespace carme::testing {

// An app that treats each request as a websocket and echoes each byte.
class EchoLoop {
 public:
  EchoLoop();
  ~EchoLoop();
  int port() const { return port_; }

 private:
  net::Task<void> Serve(UniqueFd fd);

  UniqueFd listening_;
  int port_ = 0;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<net::Listener> listener_;
  std::thread thread_;
};

class WebsocketLoad {
 public:
  struct Options {
    int port = 0;
    std::string host;
    std::string cookie;
    std::string ca_pem;
    int members = 0;
  };
  // Opens the websockets, a few at a time. Each sends a message twice a second
  // and waits for its echo.
  explicit WebsocketLoad(const Options& options);
  ~WebsocketLoad();

  int open() const { return open_; }
  // Websockets that ended, failed to open, or received wrong bytes.
  int lost() const { return lost_; }
  // The lowest number of exchanges of any websocket.
  int fewest_rounds() const;
  // Closes all of them.
  void Leave();

 private:
  net::Task<void> OpenSome();
  net::Task<bool> Open(net::Stream& stream);
  net::Task<void> Talk(std::unique_ptr<net::Stream> stream, int member);

  const Options options_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::unique_ptr<net::EventLoop> loop_;
  int next_ = 0;  // of the loop's thread
  std::atomic<bool> leaving_ = false;
  std::atomic<int> open_ = 0;
  std::atomic<int> lost_ = 0;
  std::vector<std::atomic<int>> rounds_;
  std::thread thread_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_SURVIVAL_WEBSOCKET_LOAD_H_
