// The backend's certificate and its trusted authorities, reloaded at run time:
// new files take effect for the next handshake, and a new revocation list for
// the next call.
#ifndef CARME_BACKEND_RPC_SERVER_SERVER_IDENTITY_H_
#define CARME_BACKEND_RPC_SERVER_SERVER_IDENTITY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/rpc/access/client_certificates.h"
#include "backend/rpc/server/tls_config.h"
#include "common/pki/expiry.h"
#include "common/pki/tls_files.h"

namespace grpc::experimental {
class CertificateProviderInterface;
}

namespace carme::backend {

// A CA certificate and its revocation list, in PEM.
struct ClientAuthorities {
  std::string ca_pem;   // issues the clients' certificates
  std::string crl_pem;  // its revocation list; empty: none
};

// What agents verify the proxy and its grants with. Thread-safe.
class ClientAuthoritySource {
 public:
  virtual ~ClientAuthoritySource() = default;
  // Returns another pointer when the authorities change. Does not block.
  virtual std::shared_ptr<const ClientAuthorities> client_authorities()
      const = 0;
};

// Thread-safe.
//
// gRPC can reload files itself, but it accepts a key and a certificate that do
// not match and then fails every handshake. So it reads copies in the state
// directory, which are replaced atomically by files that were validated.
class ServerIdentity : public ClientAuthoritySource {
 public:
  // Reads and copies the files. Other users must not be able to read
  // `state_directory`. Errors: TlsFiles::OpenValid.
  static absl::StatusOr<std::unique_ptr<ServerIdentity>> Open(
      const TlsConfig& config, const std::string& state_directory);

  // Reloads changed files and passes a new revocation list to `clients`. Call
  // about once a second. True: a certificate was revoked, so open connections
  // must be authenticated again.
  bool Refresh(ClientCertificates* clients);

  // For gRPC: this identity, with the clients' CA as the root.
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider()
      const {
    return provider_;
  }
  std::shared_ptr<const ClientAuthorities> client_authorities() const override;
  Revocations revoked() const;
  // Its own certificate, the authority's, and the revocation list.
  std::vector<CertificateHealth> Health(int warn_days, absl::Time now) const;

 private:
  ServerIdentity(TlsFiles files, const std::string& state_directory);
  void TakeAuthorities() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteCopies() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string identity_copy_;
  const std::string roots_copy_;
  mutable absl::Mutex mutex_;
  TlsFiles files_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const ClientAuthorities> authorities_ ABSL_GUARDED_BY(mutex_);
  bool copied_ ABSL_GUARDED_BY(mutex_) = true;  // false: retried
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_SERVER_IDENTITY_H_
