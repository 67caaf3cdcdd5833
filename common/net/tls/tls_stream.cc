#include "common/net/tls/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <utility>

#include "common/pki/certificate.h"
#include "common/pki/machine_identity.h"
#include "common/pki/x509_maker.h"
#include "common/status.h"

namespace carme::net {
namespace {

// More than one write of a caller. OpenSSL itself sends only small messages.
constexpr size_t kMaxWire = 1024 * 1024;

// Per read: a peer with small records must not block the loop.
constexpr int kMaxRecords = 4;

// ERR_clear_error() scans the whole queue, which is usually empty.
void ClearErrors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

struct TlsStream::Bio {
  static TlsStream& Of(BIO* bio) {
    return *static_cast<TlsStream*>(BIO_get_data(bio));
  }

  static int Read(BIO* bio, char* data, int size) {
    TlsStream& stream = Of(bio);
    BIO_clear_retry_flags(bio);
    int64_t got = stream.ReceiveRaw(data, static_cast<size_t>(size));
    if (got == kWait) {
      BIO_set_retry_read(bio);
      return -1;
    }
    if (got < 0) {
      stream.socket_error_ = static_cast<int>(-got);
      return -1;
    }
    if (got == 0) stream.saw_bare_end_ = true;
    return static_cast<int>(got);
  }

  static int Write(BIO* bio, const char* data, int size) {
    TlsStream& stream = Of(bio);
    BIO_clear_retry_flags(bio);
    std::string& wire = stream.loop().wire();
    if (wire.size() > kMaxWire) return -1;
    wire.append(data, static_cast<size_t>(size));
    return size;
  }

  static long Control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_EOF) return Of(bio).saw_bare_end_ ? 1 : 0;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static const BIO_METHOD* Method() {
    static const BIO_METHOD* const method = [] {
      BIO_METHOD* made =
          BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "carme");
      BIO_meth_set_read(made, Read);
      BIO_meth_set_write(made, Write);
      BIO_meth_set_ctrl(made, Control);
      return made;
    }();
    return method;
  }
};

TlsStream::TlsStream(EventLoop& loop, UniqueFd fd,
                     std::shared_ptr<const TlsContext> context)
    : Stream(loop, std::move(fd)), context_(std::move(context)) {}

TlsStream::~TlsStream() {
  // Otherwise OpenSSL forbids to reuse the session after a connection that
  // ended without a close_notify.
  if (ssl_ != nullptr) {
    SSL_set_shutdown(ssl_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }
  SSL_free(ssl_);
}

absl::StatusOr<std::unique_ptr<TlsStream>> TlsStream::Create(
    EventLoop& loop, UniqueFd fd, std::shared_ptr<const TlsContext> context,
    const TlsServerName& server, const TlsSession& session) {
  std::unique_ptr<TlsStream> stream(
      new TlsStream(loop, std::move(fd), std::move(context)));
  SSL* ssl = stream->ssl_ = SSL_new(stream->context_->get());
  BIO* bio = BIO_new(Bio::Method());
  if (ssl == nullptr || bio == nullptr) {
    BIO_free(bio);
    return absl::ResourceExhaustedError("TLS connection: out of memory");
  }
  BIO_set_data(bio, stream.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  if (stream->context_->is_server()) {
    SSL_set_accept_state(ssl);
  } else {
    SSL_set_connect_state(ssl);
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                               X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (server.dns.empty() || SSL_set1_host(ssl, server.dns.c_str()) != 1 ||
        SSL_set_tlsext_host_name(ssl, server.dns.c_str()) != 1) {
      return absl::InvalidArgumentError("name of the server \"" + server.dns +
                                        "\": not usable");
    }
    stream->peer_uri_ = server.uri;
    const std::string& alpn = stream->context_->alpn();
    SSL_set_alpn_protos(ssl,
                        reinterpret_cast<const unsigned char*>(alpn.data()),
                        static_cast<unsigned>(alpn.size()));
    if (session != nullptr) SSL_set_session(ssl, session.get());
  }
  RETURN_IF_ERROR(stream->Register());
  return stream;
}

Task<absl::Status> TlsStream::Handshake() {
  for (;;) {
    ClearErrors();
    int done = SSL_do_handshake(ssl_);
    int reason = done == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_, done);
    absl::Status failed = absl::OkStatus();
    if (done != 1 && reason != SSL_ERROR_WANT_READ) {
      failed = HandshakeError(reason);
    }
    if (done == 1) {
      absl::Status checked = CheckPeer(*context_);
      // The server's last message is a session ticket: it is sent together with
      // the first response, which saves a send().
      const bool ticket = checked.ok() && context_->is_server() &&
                          SSL_version(ssl_) == TLS1_3_VERSION;
      if (ticket) {
        Keep();
      } else {
        Flush();
      }
      if (!checked.ok() && EncodeEnd() == 0) Flush();
      co_return checked;
    }
    Flush();  // sends the alert
    if (!failed.ok()) co_return failed;
    IoResult ready = co_await Readable();
    if (ready.error != 0) co_return ErrnoError(ready.error, "TLS handshake");
  }
}

// After the handshake and not within it, because a resumed handshake verifies
// nothing: a revoked certificate must not be accepted with an old session.
absl::Status TlsStream::CheckPeer(const TlsContext& context) const {
  const std::string& uri = context.is_server() ? context.peer_uri() : peer_uri_;
  if (uri.empty() && context.revoked().size() == 0) {
    return absl::OkStatus();
  }
  X509* certificate = SSL_get0_peer_certificate(ssl_);
  // No certificate was requested.
  if (certificate == nullptr && uri.empty()) return absl::OkStatus();
  if (certificate == nullptr) {
    return absl::UnauthenticatedError("TLS handshake: no certificate");
  }
  ASSIGN_OR_RETURN(const CertificateFacts facts, FactsOf(certificate));
  if (context.revoked().Contains(facts.serial)) {
    return absl::UnauthenticatedError("TLS handshake: certificate " +
                                      facts.serial + " is revoked");
  }
  if (uri.empty()) return absl::OkStatus();
  const auto identity = TheIdentity(facts.uris);
  if (!identity.ok()) {
    return absl::UnauthenticatedError("TLS handshake: " +
                                      std::string(identity.status().message()));
  }
  if (ToUri(*identity) != uri) {
    return absl::UnauthenticatedError("TLS handshake: certificate is of \"" +
                                      ToUri(*identity) + "\": expected \"" +
                                      uri + "\"");
  }
  return absl::OkStatus();
}

absl::Status TlsStream::CheckAgain(const TlsContext& now) const {
  X509* certificate = SSL_get0_peer_certificate(ssl_);
  if (certificate != nullptr) {
    const std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>> chain(
        X509_STORE_CTX_new());
    // As OpenSSL verifies it in a handshake (ssl_verify_cert_chain).
    if (chain == nullptr ||
        X509_STORE_CTX_init(chain.get(), SSL_CTX_get_cert_store(now.get()),
                            certificate, SSL_get_peer_cert_chain(ssl_)) != 1 ||
        X509_STORE_CTX_set_default(
            chain.get(), now.is_server() ? "ssl_client" : "ssl_server") != 1) {
      TlsErrorText();
      return absl::UnauthenticatedError("TLS: certificate cannot be checked");
    }
    const bool good = X509_verify_cert(chain.get()) == 1;
    const int why = X509_STORE_CTX_get_error(chain.get());
    TlsErrorText();
    if (!good) {
      return absl::UnauthenticatedError(
          std::string("TLS: certificate counts no more: ") +
          X509_verify_cert_error_string(why));
    }
  }
  return CheckPeer(now);
}

absl::Status TlsStream::HandshakeError(int ssl_error) {
  long verified = SSL_get_verify_result(ssl_);
  if (ssl_error == SSL_ERROR_SSL && verified != X509_V_OK) {
    TlsErrorText();
    return absl::UnauthenticatedError(
        std::string("TLS handshake: certificate: ") +
        X509_verify_cert_error_string(verified));
  }
  if (socket_error_ != 0) return ErrnoError(socket_error_, "TLS handshake");
  if (saw_bare_end_) {
    TlsErrorText();
    return absl::UnavailableError("TLS handshake: the other side hung up");
  }
  return absl::InvalidArgumentError("TLS handshake: " + TlsErrorText());
}

// Reads several records, as far as whole ones fit in.
int64_t TlsStream::Receive(char* data, size_t size) {
  if (behind_ != kWait) return behind_;
  size_t taken = 0;
  for (int records = 0; records < kMaxRecords; ++records) {
    if (records > 0 && size - taken < SSL3_RT_MAX_PLAIN_LENGTH) break;
    // OpenSSL would need two thousand instructions for the same result.
    if (!readable() && SSL_has_pending(ssl_) == 0) break;
    const int64_t got = ReceiveRecord(data + taken, size - taken);
    if (got <= 0) {
      if (records == 0) return got;
      behind_ = got;
      break;
    }
    taken += static_cast<size_t>(got);
  }
  return taken > 0 ? static_cast<int64_t>(taken) : kWait;
}

int64_t TlsStream::ReceiveRecord(char* data, size_t size) {
  ClearErrors();
  size_t got = 0;
  int read = SSL_read_ex(ssl_, data, size, &got);
  // TLS 1.3 may have responded to a key update.
  int reason = read == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_, read);
  if (!loop().wire().empty()) Flush();
  if (read == 1) return static_cast<int64_t>(got);
  switch (reason) {
    case SSL_ERROR_WANT_READ:
      return kWait;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      TlsErrorText();
      return socket_error_ != 0 ? -socket_error_ : -EPROTO;
  }
}

Stream::End TlsStream::PeekEnd() {
  ERR_clear_error();
  char byte;
  size_t got = 0;
  const int peeked = SSL_peek_ex(ssl_, &byte, 1, &got);
  const int reason = peeked == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_, peeked);
  TlsErrorText();
  if (!loop().wire().empty()) Flush();
  switch (reason) {
    case SSL_ERROR_NONE:
    case SSL_ERROR_WANT_READ:
      return End::kNone;
    case SSL_ERROR_ZERO_RETURN:
      return saw_bare_end_ ? End::kCut : End::kClean;
    default:
      return End::kCut;
  }
}

int TlsStream::Encode(std::string_view data) {
  if (data.empty()) return 0;
  // SSL_get_error() is not called afterwards, so earlier errors do not matter.
  size_t written = 0;
  if (SSL_write_ex(ssl_, data.data(), data.size(), &written) == 1) return 0;
  TlsErrorText();
  return EPROTO;
}

int TlsStream::EncodeEnd() {
  ClearErrors();
  // 0: sent; the peer's close_notify has not arrived yet, as expected.
  if (SSL_shutdown(ssl_) >= 0) return 0;
  TlsErrorText();
  return EPROTO;
}

TlsSession TlsStream::session() const {
  TlsSession session(SSL_get1_session(ssl_), SSL_SESSION_free);
  return session && SSL_SESSION_is_resumable(session.get()) == 1 ? session
                                                                 : nullptr;
}

bool TlsStream::resumed() const { return SSL_session_reused(ssl_) == 1; }

std::string TlsStream::ServerName() const {
  const char* name = SSL_get_servername(ssl_, TLSEXT_NAMETYPE_host_name);
  return name != nullptr ? name : "";
}

std::string_view TlsStream::Protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

}  // namespace carme::net
