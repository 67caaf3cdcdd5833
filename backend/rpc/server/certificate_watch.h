// Looks after every certificate that the backend has to do with: takes new
// files, ends what a revoked machine holds open, warns of those that end.
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

// Thread-safe; a thread of its own.
class CertificateWatch {
 public:
  // The parts outlive this. `job_ca_pem`: the authority of the jobs'
  // certificates.
  CertificateWatch(ServerIdentity* identity, ClientCertificates* clients,
                   StreamDispatcher* dispatcher, std::string job_ca_pem, int warn_days);

  // The backend's, its authority's, the job CA's, and those that frontend and
  // proxy have shown since the start.
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
