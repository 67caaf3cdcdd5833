// One browser's connection. In HTTP/1.1: requests one after the other, each
// judged and then answered here or passed on. Http2Connection has many at once.
#ifndef CARME_PROXY_CLIENT_CONNECTION_H_
#define CARME_PROXY_CLIENT_CONNECTION_H_

#include <memory>
#include <string>
#include <string_view>

#include "common/net/task.h"
#include "common/net/timer_wheel.h"
#include "common/net/tls_stream.h"
#include "proxy/client_side.h"
#include "proxy/decide.h"
#include "proxy/exchange.h"
#include "proxy/http2_connection.h"
#include "proxy/worker.h"

namespace carme::proxy {

// Thread rule: its worker's loop. Lives in the coroutine that runs Serve.
class ClientConnection : private net::Timer {
 public:
  ClientConnection(Worker& worker, std::unique_ptr<net::TlsStream> stream,
                   std::string client_address);
  ~ClientConnection() override;

  // From the TLS handshake to the end.
  net::Task<void> Serve();

  // The routes changed: closes at once when what runs is no longer admitted.
  void Recheck();
  // Who issues the agents' certificates changed: closes at once when what runs
  // goes to one that `agents` does not trust.
  void CheckAgent(const net::TlsContext& agents);
  // The proxy is going down: closes a connection between two requests.
  void CloseIfIdle();
  void CloseIfWebsocket();

 private:
  // The grant of what runs has expired.
  void OnDeadline() override;

  net::Task<void> ServeHttp1();
  template <typename Visit>
  void ForEachExchange(Visit visit) {
    if (running_ != nullptr) visit(*running_);
    if (http2_ != nullptr) http2_->ForEachExchange(visit);
  }

  net::Task<bool> ReadHead();
  net::Task<bool> AnswerRequest();
  net::Task<void> Refuse(int status, const char* why);
  net::Task<void> Close();

  Worker& worker_;
  std::unique_ptr<net::TlsStream> stream_;
  Http1Client side_;
  Decider decider_;
  // Bytes of the client that are read and not used yet. `input_` is where they
  // are now: here, or in the loop's scratch until the next suspension.
  std::string& held_ = side_.held();
  std::string_view input_;
  size_t head_bytes_ = 0;
  bool closing_ = false;  // the answer in worker_.out() is the last one
  bool idle_ = true;      // between two requests
  Exchange* running_ = nullptr;
  Http2Connection* http2_ = nullptr;
  int answered_ = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CLIENT_CONNECTION_H_
