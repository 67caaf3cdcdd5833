// Watches the certificates that the backend uses: reloads changed files, closes
// the streams of revoked machines, and warns before a certificate expires.
#ifndef CARME_BACKEND_RPC_SERVER_CERTIFICATE_WATCH_H_
#define CARME_BACKEND_RPC_SERVER_CERTIFICATE_WATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "backend/rpc/access/client_certificates.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "common/concurrency/background_thread.h"
#include "common/pki/expiry.h"

namespace carme::backend {

// The certificates that the backend depends on. Thread-safe.
class CertificateReport {
 public:
  virtual ~CertificateReport() = default;
  virtual std::vector<CertificateHealth> Health() const = 0;
};

// Thread-safe. Runs its own thread.
class CertificateWatch : public CertificateReport {
 public:
  // All pointers must outlive the object. `job_ca_pem`: the CA of the jobs'
  // certificates.
  CertificateWatch(ServerIdentity* identity, ClientCertificates* clients,
                   StreamDispatcher* dispatcher, std::string job_ca_pem,
                   int warn_days);

  // The certificates of the backend, its CA and the job CA, and those that the
  // frontend and the proxy have presented since the start.
  std::vector<CertificateHealth> Health() const override;

 private:
  void Poll();

  ServerIdentity& identity_;
  ClientCertificates& clients_;
  StreamDispatcher& dispatcher_;
  const std::string job_ca_pem_;
  const int warn_days_;
  ExpiryWarnings warnings_;  // used by the thread only, as the next
  int64_t polls_ = 0;
  const BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_CERTIFICATE_WATCH_H_
