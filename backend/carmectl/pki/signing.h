// Signs certificates and revocation lists. Include it only in .cc files: it
// uses types of OpenSSL.
#ifndef CARME_BACKEND_CARMECTL_PKI_SIGNING_H_
#define CARME_BACKEND_CARMECTL_PKI_SIGNING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/pki/certificate_index.h"
#include "common/pki/x509_maker.h"

namespace carme::carmectl {

struct Signer {
  X509* certificate;
  EVP_PKEY* key;
};

// Self-signed; may issue certificates of programs, and no authorities.
absl::StatusOr<X509Ptr> MakeAuthorityCertificate(EVP_PKEY* key, absl::Time now,
                                                 absl::Time until);

struct ProgramCertificate {
  MachineIdentity identity;
  std::vector<std::string> dns_names;
  bool is_server;  // else a client; only carme-metrics is both
  absl::Time now;
  absl::Time until;
};

// REQUIRES: name and DNS names were checked. INVALID_ARGUMENT: it would outlive
// its authority.
absl::StatusOr<X509Ptr> MakeProgramCertificate(
    const Signer& authority, EVP_PKEY* key, const ProgramCertificate& program);

// PEM. Expired certificates stay on the list.
absl::StatusOr<std::string> MakeRevocationList(
    const Signer& authority, const std::vector<IssuedEntry>& entries,
    absl::Time now);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PKI_SIGNING_H_
