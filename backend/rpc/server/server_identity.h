// The backend's certificate and whom it trusts, fresh: new files take effect
// for the next handshake, and a new revocation list for the next call.
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

// Two texts that belong together, PEM.
struct ClientAuthorities {
  std::string ca_pem;   // who issues the clients' certificates
  std::string crl_pem;  // what it took back; empty: no list
};

// Thread-safe.
//
// gRPC reads files by itself, but takes a key and a certificate that do not
// belong together as readily as others and serves nobody from then on. So it
// is given copies in the state directory, which are replaced in one step each
// by what was tried out.
class ServerIdentity {
 public:
  // Reads the files and copies them. `state_directory` is nobody else's to
  // read. TlsFiles' errors.
  static absl::StatusOr<std::unique_ptr<ServerIdentity>> Open(
      const TlsConfig& config, const std::string& state_directory);

  // Looks at the files; call it about once a second. `clients` gets a new
  // revocation list. True when somebody was revoked: connections that stand
  // should be asked again.
  bool Refresh(ClientCertificates* clients);

  // For gRPC: this identity and, as root, who issues the clients'.
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider()
      const {
    return provider_;
  }
  // Another pointer when it is another.
  std::shared_ptr<const ClientAuthorities> client_authorities() const;
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
  bool copied_ ABSL_GUARDED_BY(mutex_) = true;  // else tried again
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_SERVER_IDENTITY_H_
