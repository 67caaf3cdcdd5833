// One browser's connection: requests one after the other, each judged and then
// answered here or passed on.
#ifndef CARME_PROXY_CLIENT_CONNECTION_H_
#define CARME_PROXY_CLIENT_CONNECTION_H_

#include <memory>
#include <string>
#include <string_view>

#include "common/net/task.h"
#include "common/net/timer_wheel.h"
#include "common/net/tls_stream.h"
#include "proxy/access.h"
#include "proxy/exchange.h"
#include "proxy/own_answer.h"
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

  net::Task<bool> ReadHead();
  net::Task<bool> AnswerRequest();
  net::Task<void> Refuse(int status, const char* why);
  net::Task<void> Close();

  // What becomes of a request. Each puts an answer of our own into
  // worker_.out(), or an ExchangeRequest to be run into `exchange`.
  void Decide(const RequestHead& head, ExchangeRequest* exchange);
  void DecidePortal(const RequestHead& head, ExchangeRequest* exchange);
  void DecideJob(const RequestHead& head, const JobHost& host,
                 ExchangeRequest* exchange);
  void OpenByTicket(const RequestHead& head, const JobHost& host);
  void Notify(const RequestHead& head, Notice notice);
  AccessPtr Authorize(const RequestHead& head, const JobHost& host);
  void LogRequest(const RequestHead& head, const char* outcome) const;

  Worker& worker_;
  std::unique_ptr<net::TlsStream> stream_;
  const std::string client_address_;
  std::string server_name_;  // from the handshake; may be empty
  std::string request_id_;
  // Bytes of the client that are read and not used yet. `input_` is where they
  // are now: here, or in the loop's scratch until the next suspension.
  std::string held_;
  std::string_view input_;
  size_t head_bytes_ = 0;
  // The cookie that was opened last, because it will come again.
  std::string known_cookie_;
  AccessPtr known_access_;
  bool closing_ = false;  // the answer in worker_.out() is the last one
  bool idle_ = true;      // between two requests
  Exchange* running_ = nullptr;
  int answered_ = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CLIENT_CONNECTION_H_
