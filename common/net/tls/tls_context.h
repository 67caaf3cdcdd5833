// What all TLS connections of one kind share: certificate, trust, versions.
//
// Immutable and thread-safe once made; a reload makes a new one, and the
// connections of the old one keep it alive.
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

// All of it as PEM text, not as paths.
struct TlsOptions {
  std::string certificate;  // and its chain; a client may have none
  std::string key;
  // Whose certificates the other side may have. Empty at a server: clients
  // need none. A client must have it.
  std::string peer_ca;
  // The URI that a client's certificate must carry, and no other beside it
  // (common/pki/machine_identity.h). A server with a peer_ca must have it; a
  // client gives it a connection.
  std::string peer_uri;
  // Certificates of the other side that are refused whatever they carry.
  Revocations revoked;
  bool tls12 = false;  // accept 1.2 as well; else only 1.3
  // The protocols that are negotiated, separated by commas, the preferred one
  // first: "h2,http/1.1". Clients that offer others only are refused, clients
  // that offer none are not.
  std::string alpn;
  // Of a server: DER, given to clients that ask for it (OCSP stapling, RFC 6066
  // section 8). Nobody checks it here. Empty: none.
  std::string ocsp_response;
  // Of a server: what its clients' sessions are sealed with. Null: keys of the
  // context's own, so that no session outlives it. REQUIRES: no peer_ca,
  // because a resumed handshake verifies nobody.
  std::shared_ptr<const TicketKeys> ticket_keys;
};

class TlsContext {
 public:
  using Others = std::vector<std::shared_ptr<const TlsContext>>;

  // INVALID_ARGUMENT: what OpenSSL cannot read, or a key of another
  // certificate. `others` are servers' as well, with the same ALPN and ticket
  // keys: a client that asks for a name for which the certificate is not good
  // gets the first of theirs that is, if there is one.
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
  std::string alpn_;  // in wire form
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
