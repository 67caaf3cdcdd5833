// A browser's connection: the TLS handshake, then requests. Serves HTTP/1.1
// itself, one request after the other; Http2Connection serves HTTP/2.
#ifndef CARME_PROXY_DOWNSTREAM_CLIENT_CONNECTION_H_
#define CARME_PROXY_DOWNSTREAM_CLIENT_CONNECTION_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "common/net/task.h"
#include "common/net/timer_wheel.h"
#include "common/net/tls/tls_stream.h"
#include "proxy/downstream/http2_connection.h"
#include "proxy/routing/downstream_codec.h"
#include "proxy/routing/forwarder.h"
#include "proxy/routing/request_router.h"
#include "proxy/state/loop_state.h"

namespace carme::proxy {

class ClientConnection;
using ConnectionSet = absl::flat_hash_set<ClientConnection*>;

// Writes HTTP/1.1 to the client.
class Http1Codec final : public DownstreamCodec {
 public:
  explicit Http1Codec(net::Stream& stream) : DownstreamCodec(stream) {}
  bool chunks() const override { return true; }
  void AppendContinue(std::string* out) override;
  void AppendHead(const ResponseHead& head, UpstreamKind upstream_kind,
                  const BodyFraming& body, bool close,
                  std::string* out) override;
  void AppendEnd(bool chunked, std::string_view trailers,
                 std::string* out) override;
  void FormatLocalReply(std::string*) override {}
};

// Not thread-safe: used on the loop's thread. Lives in the coroutine that runs
// Serve().
class ClientConnection : private net::Timer {
 public:
  ClientConnection(LoopState& state, ConnectionSet& connections,
                   std::unique_ptr<net::TlsStream> stream,
                   std::string client_address);
  ~ClientConnection() override;

  // From the TLS handshake until the connection is closed.
  net::Task<void> Serve();

  // Routes changed: closes the connection if its request is no longer allowed.
  void Recheck();
  // The job CA changed: closes the connection if `agents` does not trust the
  // agent of its request.
  void CheckAgentCertificate(const net::TlsContext& agents);
  // The proxy stops: closes a connection without a request.
  void CloseIfIdle();
  void CloseIfWebsocket();

 private:
  // The grant of the current request has expired.
  void OnDeadline() override;

  net::Task<void> ServeHttp1();
  template <typename Visit>
  void ForEachForwarder(Visit visit) {
    if (running_ != nullptr) visit(*running_);
    if (http2_ != nullptr) http2_->ForEachForwarder(visit);
  }

  net::Task<bool> ReadHead();
  net::Task<bool> AnswerRequest();
  net::Task<void> Refuse(int status, const char* error);
  net::Task<void> Close();

  LoopState& state_;
  ConnectionSet& connections_;
  std::unique_ptr<net::TlsStream> stream_;
  Http1Codec codec_;
  RequestRouter router_;
  // Bytes that were read from the client but not used. `input_` points to them:
  // in held_, or in the loop's scratch until the next suspension.
  std::string& held_ = codec_.held();
  std::string_view input_;
  size_t head_bytes_ = 0;
  bool closing_ = false;  // the response in state_.out() is the last one
  bool idle_ = true;      // between two requests
  Forwarder* running_ = nullptr;
  Http2Connection* http2_ = nullptr;
  int answered_ = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_CLIENT_CONNECTION_H_
