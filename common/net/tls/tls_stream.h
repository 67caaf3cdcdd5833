// TLS on a TCP or unix socket, for clients and servers.
//
// OpenSSL's socket BIO would call recv() once more after every record until
// EAGAIN, and send() once for each record. This BIO uses the state of epoll to
// skip reads without data, and collects writes in the loop's buffer for one
// send(): two reads and two writes for a proxied request.
#ifndef CARME_COMMON_NET_TLS_TLS_STREAM_H_
#define CARME_COMMON_NET_TLS_TLS_STREAM_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "common/net/tls/tls_context.h"

struct ssl_st;
struct ssl_session_st;

namespace carme::net {

// A session for resumption with the same server. A value.
using TlsSession = std::shared_ptr<ssl_session_st>;

// The expected names in a server's certificate.
struct TlsServerName {
  std::string dns;
  // The only URI (common/pki/machine_identity.h); empty: not checked.
  std::string uri{};
};

class TlsStream : public Stream {
 public:
  // `fd`: connected and non-blocking. `server`: only for a client.
  static absl::StatusOr<std::unique_ptr<TlsStream>> Create(
      EventLoop& loop, UniqueFd fd, std::shared_ptr<const TlsContext> context,
      const TlsServerName& server = {}, const TlsSession& session = nullptr);
  ~TlsStream() override;

  // Call it before the first Read or Write. UNAUTHENTICATED: the peer's
  // certificate is not accepted; UNAVAILABLE: the peer closed the connection;
  // DEADLINE_EXCEEDED, CANCELLED; INVALID_ARGUMENT: not the expected protocol.
  // The message is for the log.
  Task<absl::Status> Handshake();

  // Whether `now`, a newer context, would still accept the peer's certificate.
  // UNAUTHENTICATED: its issuer is no longer trusted, or it is revoked or
  // expired. REQUIRES: Handshake was OK.
  absl::Status CheckAgain(const TlsContext& now) const;
  // The context of the handshake.
  const TlsContext* context() const { return context_.get(); }

  End PeekEnd() override;
  bool truncated() const override { return saw_bare_end_; }
  // The newest session that the server has sent; null: none yet. TLS 1.3 sends
  // it after the handshake, so call this after a read.
  TlsSession session() const;
  bool resumed() const;
  // The name that the client requested (SNI); empty: none.
  std::string ServerName() const;
  // The negotiated ALPN protocol; empty: the client offered none.
  std::string_view Protocol() const;

 private:
  struct Bio;
  TlsStream(EventLoop& loop, UniqueFd fd,
            std::shared_ptr<const TlsContext> context);
  int64_t Receive(char* data, size_t size) override;
  int64_t ReceiveRecord(char* data, size_t size);
  int Encode(std::string_view data) override;
  int EncodeEnd() override;
  absl::Status HandshakeError(int ssl_error);
  absl::Status CheckPeer(const TlsContext& context) const;

  std::shared_ptr<const TlsContext> context_;
  std::string peer_uri_;  // for a client; a server uses its context's
  ssl_st* ssl_ = nullptr;
  // The end or error that follows the bytes that Receive returned; kWait: none.
  int64_t behind_ = kWait;
  int socket_error_ = 0;
  bool saw_bare_end_ = false;  // the socket ended without a close_notify
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TLS_TLS_STREAM_H_
