// The settings of TLS connections: certificate, trusted CAs, versions.
//
// Immutable and thread-safe. A reload creates a new context; connections keep
// the old one alive.
#ifndef CARME_COMMON_NET_TLS_TLS_CONTEXT_H_
#define CARME_COMMON_NET_TLS_TLS_CONTEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/tls/ticket_keys.h"
#include "common/pki/revocations.h"

struct ssl_ctx_st;

namespace carme::net {

// PEM text, not paths.
struct TlsOptions {
  std::string certificate;  // with its chain; optional for a client
  std::string key;
  // The CAs of the peer's certificate. Empty for a server: clients need no
  // certificate. Required for a client.
  std::string peer_ca;
  // The only URI that a client's certificate must have
  // (common/pki/machine_identity.h). Required for a server with a peer_ca; a
  // client sets it for each connection.
  std::string peer_uri;
  // Revoked certificates of the peer.
  Revocations revoked;
  bool tls12 = false;  // also accept TLS 1.2
  // The ALPN protocols, separated by commas, preferred first: "h2,http/1.1".
  // Clients that offer only others are refused; clients that offer none are
  // accepted.
  std::string alpn;
  // Of a server: a DER response for OCSP stapling (RFC 6066 section 8). It is
  // not checked here. Empty: none.
  std::string ocsp_response;
  // Of a server: the keys of session tickets. Null: keys of this context, so
  // that sessions end with it. REQUIRES: no peer_ca, because a resumed
  // handshake does not verify certificates.
  std::shared_ptr<const TicketKeys> ticket_keys;
};

class TlsContext {
 public:
  using Others = std::vector<std::shared_ptr<const TlsContext>>;

  // INVALID_ARGUMENT: malformed, or the key does not match the certificate.
  // `others` are contexts of servers with the same ALPN and ticket keys: if
  // this certificate is not valid for the name that a client requests, the
  // first of theirs that is valid is used.
  static absl::StatusOr<std::shared_ptr<const TlsContext>> Server(
      const TlsOptions& options, Others others = {});
  static absl::StatusOr<std::shared_ptr<const TlsContext>> Client(
      const TlsOptions& options);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* get() const { return context_; }
  bool is_server() const { return is_server_; }
  const std::string& alpn() const { return alpn_; }
  const std::string& peer_uri() const { return peer_uri_; }
  const Revocations& revoked() const { return revoked_; }
  const Others& others() const { return others_; }
  const std::string& ocsp_response() const { return ocsp_response_; }
  const TicketKeys* ticket_keys() const { return ticket_keys_.get(); }

 private:
  TlsContext() = default;
  static absl::StatusOr<std::shared_ptr<TlsContext>> New(
      const TlsOptions& options, bool server);

  ssl_ctx_st* context_ = nullptr;
  bool is_server_ = false;
  std::string alpn_;  // in wire format
  std::string peer_uri_;
  Revocations revoked_;
  Others others_;
  std::string ocsp_response_;
  std::shared_ptr<const TicketKeys> ticket_keys_;
};

// The last errors of OpenSSL on this thread as one line; clears them.
std::string TlsErrorText();

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TLS_TLS_CONTEXT_H_
