// TLS on a TCP or unix socket, either side.
//
// OpenSSL's own socket BIO would read once more after every record to be told
// EAGAIN, and write once a record. The BIO here knows from epoll when a read
// can give nothing, and gathers what is written in the loop's buffer, which
// goes out in one send: two reads and two writes a proxied request.
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

// A session that shortens the next handshake with the same server. A value.
using TlsSession = std::shared_ptr<ssl_session_st>;

// What a server's certificate must carry.
struct TlsServerName {
  std::string dns;
  // Exactly this one (common/pki/machine_identity.h); empty: whatever it is.
  std::string uri{};
};

class TlsStream : public Stream {
 public:
  // `fd`: connected, non-blocking. `server`: for a client.
  static absl::StatusOr<std::unique_ptr<TlsStream>> Create(
      EventLoop& loop, UniqueFd fd, std::shared_ptr<const TlsContext> context,
      const TlsServerName& server = {}, const TlsSession& session = nullptr);
  ~TlsStream() override;

  // Before the first Read or Write. UNAUTHENTICATED: the other side's
  // certificate is not what was asked for; UNAVAILABLE: it hung up;
  // DEADLINE_EXCEEDED, CANCELLED; INVALID_ARGUMENT: it does not speak as
  // expected. The message is for the log.
  Task<absl::Status> Handshake();

  // Whether `now`, a newer context for the same side, would still let the other
  // side's certificate in: UNAUTHENTICATED when its issuer is not trusted any
  // more, when it is revoked or at its end. REQUIRES: Handshake was OK.
  absl::Status CheckAgain(const TlsContext& now) const;
  // What the handshake was made with.
  const TlsContext* context() const { return context_.get(); }

  End PeekEnd() override;
  bool truncated() const override { return saw_bare_end_; }
  // The newest session a server gave; null while it gave none. TLS 1.3 sends
  // it after the handshake, so ask when the connection has been read from.
  TlsSession session() const;
  bool resumed() const;
  // The name the client asked for; empty without one.
  std::string ServerName() const;
  // What was agreed upon by ALPN; empty: the client offered nothing.
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
  std::string peer_uri_;  // of a client; a server's is its context's
  ssl_st* ssl_ = nullptr;
  // The end or the error that Receive met behind what it gave; kWait: none.
  int64_t behind_ = kWait;
  int socket_error_ = 0;
  bool saw_bare_end_ = false;  // the socket ended before TLS did
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TLS_TLS_STREAM_H_
