// The public certificates: loading, selection by name, OCSP stapling,
// reloading.
#ifndef CARME_PROXY_SERVER_PUBLIC_TLS_H_
#define CARME_PROXY_SERVER_PUBLIC_TLS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/tls/tls_context.h"
#include "common/pki/expiry.h"
#include "common/pki/file_watch.h"
#include "common/pki/ocsp_response.h"
#include "common/pki/tls_files.h"
#include "proxy/config/proxy_config.h"

namespace carme::proxy {

// Not thread-safe; its contexts are.
class PublicTls {
 public:
  // Loads all files. Returns an error for an invalid certificate or key. An
  // invalid OCSP response is ignored and logged.
  static absl::StatusOr<PublicTls> Open(const ProxyConfig& config,
                                        absl::Time now);

  // For new connections.
  std::shared_ptr<const net::TlsContext> context() const { return context_; }

  // Reloads changed files, rotates session keys, warns about expiring
  // certificates. Returns whether there is a new context. Invalid files change
  // nothing and are logged. Call it every few seconds.
  bool Refresh(absl::Time now);
  // When they expire.
  std::vector<CertificateHealth> Certificates(absl::Time now) const;

 private:
  // One certificate with its OCSP response.
  struct Pair {
    std::string ocsp_file;  // empty: none
    TlsFiles files;
    FileWatch ocsp_watch;
    std::optional<OcspResponse> ocsp;
  };

  PublicTls(std::vector<Pair> pairs, std::shared_ptr<net::TicketKeys> keys,
            bool http2, int expiry_warn_days);
  static bool ReadOcsp(Pair* pair, absl::Time now);
  absl::StatusOr<std::shared_ptr<const net::TlsContext>> MakeContext() const;

  std::vector<Pair> pairs_;  // the first is the default
  std::shared_ptr<net::TicketKeys> keys_;
  const bool http2_;
  const int expiry_warn_days_;
  ExpiryWarnings warnings_;
  std::shared_ptr<const net::TlsContext> context_;
  bool keys_failed_ = false;  // logged already
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_PUBLIC_TLS_H_
