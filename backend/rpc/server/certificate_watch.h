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
#include "common/concurrency/ticker.h"
#include "common/pki/expiry.h"

namespace carme::backend {

// Thread-safe. Runs its own thread.
class CertificateWatch {
 public:
  // All pointers must outlive the object. `job_ca_pem`: the CA of the jobs'
  // certificates.
  CertificateWatch(ServerIdentity* identity, ClientCertificates* clients,
                   StreamDispatcher* dispatcher, std::string job_ca_pem,
                   int warn_days);

  // The certificates of the backend, its CA and the job CA, and those that the
  // frontend and the proxy have presented since the start.
  std::vector<CertificateHealth> Health() const;

 private:
  void Look();

  ServerIdentity& identity_;
  ClientCertificates& clients_;
  StreamDispatcher& dispatcher_;
  const std::string job_ca_pem_;
  const int warn_days_;
  ExpiryWarnings warnings_;  // the ticker's thread's
  int64_t looks_ = 0;        // the ticker's thread's
  const Ticker ticker_;      // last: it uses the others
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_CERTIFICATE_WATCH_H_
