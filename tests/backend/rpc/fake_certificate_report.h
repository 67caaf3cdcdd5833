// Certificates that a test sets.
#ifndef CARME_TESTS_BACKEND_RPC_FAKE_CERTIFICATE_REPORT_H_
#define CARME_TESTS_BACKEND_RPC_FAKE_CERTIFICATE_REPORT_H_

#include <vector>

#include "backend/rpc/server/certificate_watch.h"

namespace carme::backend {

class FakeCertificateReport : public CertificateReport {
 public:
  std::vector<CertificateHealth> Health() const override { return health; }

  std::vector<CertificateHealth> health;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_RPC_FAKE_CERTIFICATE_REPORT_H_
